# SPDX-License-Identifier: GPL-2.0-or-later
"""Student's t by other means than R's library, for tests that compute everything anew."""
import math


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-12)


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function (Lentz), DLMF 8.17.22."""
    tiny, c, d = 1e-300, 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 10000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def two_sided_p(t, df):
    """P(|T| > t): the incomplete beta function at df / (df + t^2)."""
    a, b, x = df / 2, 0.5, df / (df + t * t)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b
