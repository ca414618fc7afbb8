/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-files - the style and the script of a page, and the style of charts, which embed.py makes part of the program: each as a
 * string, and the hash by which a Content Security Policy names it. */
extern const char page_css[], page_css_hash[];
extern const char chart_css[], chart_css_hash[];
extern const char page_js[], page_js_hash[];
