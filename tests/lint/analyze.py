# SPDX-License-Identifier: GPL-2.0-or-later
"""analyze.py TOOL ROOT BUILD: one static analyzer over the sources of the tool, as they are compiled in BUILD. TOOL is gcc
(-fanalyzer), clang-tidy or cppcheck. What it says is a failure, unless tests/lint/analyzer-exceptions has it with a reason:
by tool, check and file, for lines move. With ANALYZE_NODES, clang's analyzer follows more paths through a function than
15000 states; its own default is 225000, which takes ten times as long and is for a machine that has the time."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

tool, root, build = sys.argv[1], os.path.realpath(sys.argv[2]), os.path.realpath(sys.argv[3])
nodes = os.environ.get("ANALYZE_NODES", "15000")
exceptions_file = os.path.join(root, "tests", "lint", "analyzer-exceptions")
# Sources of the libraries and the program; the same ones are compiled again for tests.
OWN = re.compile(r"^src/([a-z]+/lib[a-z]+[.]a|ctprof)[.]p/")
# file:line:column: level: text [check]
LINE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>[0-9]+):(?:[0-9]+:)? (?:warning|error): (?P<text>.*) \[(?P<check>[^\]]+)\]$", re.M)

if shutil.which(tool) is None:
    print(f"skipped: no {tool}")
    sys.exit(77)


def read_exceptions():
    """(tool, check, file) -> reason."""
    found = {}
    with open(exceptions_file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                words = line.split(None, 3)
                if len(words) < 4:
                    sys.exit(f"{exceptions_file}:{number}: not 'tool check file reason'")
                found[tuple(words[:3])] = words[3]
    return found


def read_units():
    """(directory, file, arguments without the compiler and what is about output and diagnostics)."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for unit in json.load(commands):
            if not OWN.match(unit["output"]) or not unit["file"].endswith(".c"):
                continue
            words = shlex.split(unit["command"])
            first = next(i for i, word in enumerate(words) if word.startswith("-"))
            arguments, skip = [], False
            for word in words[first:]:
                if skip:
                    skip = False
                elif word in ("-o", "-MQ", "-MF", "-MT"):
                    skip = True
                elif word not in ("-c", "-MD", "-Werror", unit["file"]) and not word.startswith("-fdiagnostics"):
                    arguments.append(word)
            yield unit["directory"], unit["file"], arguments


def run(command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stdout.decode(errors="replace")


def run_gcc(unit):
    directory, file, arguments = unit
    return run(["gcc", *arguments, "-fanalyzer", "-fdiagnostics-plain-output", "-fdiagnostics-path-format=none", "-c", file,
                "-o", os.devnull], directory)


def run_clang_tidy(unit):
    directory, file, arguments = unit
    # -Xclang goes to the analyzer itself.
    depth = ["-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={nodes}"]
    return run(["clang-tidy", "--quiet", f"--config-file={os.path.join(root, '.clang-tidy')}", file, "--", *arguments, *depth],
               directory)


def run_cppcheck(units):
    """It takes all files at once, to look at calls from one to another."""
    with tempfile.TemporaryDirectory() as scratch:
        commands = [{"directory": directory, "file": file,
                     # It does not take quotes out of a macro's value.
                     "command": shlex.join(["cc"] + [a for a in arguments if a[:2] in ("-D", "-I", "-U") and '"' not in a] + ["-c", file])}
                    for directory, file, arguments in units]
        with open(os.path.join(scratch, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(commands, file)
        os.mkdir(os.path.join(scratch, "cache"))
        return run(["cppcheck", f"--project={scratch}/compile_commands.json", f"--cppcheck-build-dir={scratch}/cache",
                    f"-j{os.cpu_count()}", "--quiet", "--enable=warning,portability,performance", "--std=c11",
                    "-DCTPROF_VERSION=version", "-DCTPROF_LIBEXEC=directory", "-DLIBBPF_OPTS(type,name,...)=struct type name = {__VA_ARGS__}",
                    "--suppress=missingIncludeSystem", "--template={file}:{line}:{column}: warning: {message} [{id}]"], scratch)


def name_of(file, directory):
    path = os.path.realpath(os.path.join(directory, file))
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def main():
    units = list(read_units())
    if not units:
        sys.exit(f"{build}: no sources of the tool in compile_commands.json")
    if tool == "cppcheck":
        outputs = [(units[0][0], *run_cppcheck(units))]
    else:
        analyze = {"gcc": run_gcc, "clang-tidy": run_clang_tidy}[tool]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = [(unit[0], *result) for unit, result in zip(units, pool.map(analyze, units))]

    exceptions = read_exceptions()
    used, told, findings = set(), set(), 0
    for directory, status, text in outputs:
        matches = list(LINE.finditer(text))
        if status != 0 and not matches:
            print(text)
            findings += 1
        for match in matches:
            if tool == "gcc" and not match["check"].startswith("-Wanalyzer"):
                continue
            check = match["check"].split(",")[0]
            file = name_of(match["file"], directory)
            # Files that bpftool and meson write are not ours.
            if not file.startswith(("src/", "registry/")):
                continue
            key = (tool, check, file)
            if key in exceptions:
                used.add(key)
            elif (key, match["line"]) not in told:
                told.add((key, match["line"]))
                findings += 1
                print(f"{file}:{match['line']}: {match['text']} [{check}]")
    for key in exceptions:
        if key[0] == tool and key not in used:
            print(f"note: nothing is said any more of the exception {' '.join(key)}")
    print(f"{tool}: {len(units)} files, {findings} findings, {len(used)} exceptions")
    sys.exit(findings > 0)


main()
