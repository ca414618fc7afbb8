#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types command lines with tabs at a shell on a terminal, and looks at the arguments that ctprof gets.

    typed.py bash|zsh SCRIPT
"""
import fcntl
import os
import pty
import select
import shutil
import struct
import sys
import tempfile
import termios
import time

SHELLS = {
    'bash': (['bash', '--norc', '--noprofile', '-i'],
             "PS1='' PS2=''; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'\n"
             "source {script}\n"),
    'zsh': (['zsh', '-f', '-i'],
            "PROMPT='' RPROMPT=''; unsetopt zle_bracketed_paste; setopt no_beep\n"
            # The installed form is a function of its own, found by its name.
            "fpath=({folder} $fpath); autoload -Uz compinit && compinit -D -u\n"),
}

# The typed text, and the arguments that it makes. A tab in the middle is followed by more.
CASES = [
    ('ctprof com\t', ['compare']),
    ('ctprof compare --group-by cg\t', ['compare', '--group-by', 'cgroup']),
    ('ctprof compare --group-by=cg\t', ['compare', '--group-by=cgroup']),
    ('ctprof compare --order "im\ta.zst', ['compare', '--order', 'impact', 'a.zst']),
    ('ctprof show --sections primary,pre\t', ['show', '--sections', 'primary,pressure']),
    ('ctprof show --sections=pre\t,taskst\t', ['show', '--sections=pressure,taskstats-delay']),
    ('ctprof compare --sort-by run_time_n\t:d\t', ['compare', '--sort-by', 'run_time_ns:desc']),
    ('ctprof compare --sort-by=nice:a\t,timesl\t:d\t',
     ['compare', '--sort-by=nice:asc,timeslices:desc']),
    # The one closes quotes, the other leaves them to us.
    ('ctprof compare --sort-by "run_time_ns:d\t{quote} x',
     ['compare', '--sort-by', 'run_time_ns:desc', 'x']),
    ('ctprof compare --unch\t bef\t af\t', ['compare', '--unchanged', 'before.zst', 'after.zst']),
    ('ctprof show my\t', ['show', 'my own.zst']),
    ('ctprof show "my\t', ['show', 'my own.zst']),
    ('ctprof show my\\ o\t', ['show', 'my own.zst']),
    ('ctprof show fold\tc\t', ['show', 'folder/c.zst']),
    ('ctprof show ~/ho\t', ['show', '{home}/home.zst']),
    ('ctprof show no\t', ['show', 'notes']),
    ('ctprof capture --output=no\t', ['capture', '--output=notes']),
    ('ctprof capture --proc-root fol\t', ['capture', '--proc-root', 'folder']),
    ('ctprof capture -o nice\\:\t', ['capture', '-o', 'nice:day']),
]


def make_place(root):
    os.makedirs(os.path.join(root, 'place', 'folder'))
    os.mkdir(os.path.join(root, 'home'))
    for name in ('before.zst', 'after.zst', 'my own.zst', 'notes', 'nice:day', 'folder/c.zst', '../home/home.zst'):
        with open(os.path.join(root, 'place', name), 'w', encoding='utf-8'):
            pass


class Shell:
    def __init__(self, name, script, root):
        command, start = SHELLS[name]
        self.heard = b''
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(os.path.join(root, 'place'))
            environment = {'PATH': os.environ['PATH'], 'HOME': os.path.join(root, 'home'),
                           'TERM': 'dumb', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '500'}
            os.execvpe(command[0], command, environment)
        self.type(start.format(script=script, folder=os.path.dirname(script)))
        self.type("ctprof() { printf '[%s]' \"$@\"; printf '%s\\n' 'e''nd'; }\n")
        self.type("echo rea''dy\n")
        self.hear(b'ready')
        self.reader = os.open(f'/proc/{self.pid}/fd/0', os.O_RDONLY | os.O_NOCTTY)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def hear(self, what, seconds=120):
        """What the shell wrote up to the text, which is taken away."""
        until = time.monotonic() + seconds
        while what not in self.heard:
            rest = until - time.monotonic()
            if rest <= 0 or not select.select([self.terminal], [], [], rest)[0]:
                raise TimeoutError(self.heard)
            self.heard += os.read(self.terminal, 65536)
        before, self.heard = self.heard.split(what, 1)
        return before

    def is_idle(self):
        """Whether the shell has read what was typed, waits for more, and runs no program."""
        unread = struct.unpack('i', fcntl.ioctl(self.reader, termios.FIONREAD, bytes(4)))[0]
        with open(f'/proc/{self.pid}/stat', encoding='utf-8') as stat:
            sleeps = stat.read().rsplit(')', 1)[1].split()[0] == 'S'
        with open(f'/proc/{self.pid}/task/{self.pid}/children', encoding='utf-8') as children:
            return unread == 0 and sleeps and not children.read().strip()

    def await_idle(self, seconds=20):
        """Returns when it has been idle for three looks in a row: what is typed while a tab completes is lost in some versions."""
        until, idle = time.monotonic() + seconds, 0
        while idle < 3 and time.monotonic() < until:
            time.sleep(0.02)
            idle = idle + 1 if self.is_idle() else 0

    def run(self, line):
        for part in line.split('\t')[:-1]:
            self.type(part + '\t')
            self.await_idle()
        self.type(line.split('\t')[-1] + '\n')
        heard = self.hear(b'end\r\n').decode(errors='replace')
        # The arguments stand behind the last end of a line. zsh takes the slash of a folder away again.
        return heard.replace('\r', '\n').rsplit('\n', 1)[-1].replace('/]', ']')

    def close(self):
        os.close(self.reader)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def main():
    name, script = sys.argv[1], os.path.realpath(sys.argv[2])
    if not shutil.which(name):
        print(f'skipped: no {name}')
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        make_place(root)
        shell = Shell(name, script, root)
        for line, arguments in CASES:
            line = line.replace('{quote}', '"' if name == 'zsh' else '')
            wanted = ''.join(f'[{a.format(home=os.path.join(root, "home"))}]' for a in arguments)
            try:
                got = shell.run(line)
            except TimeoutError as reason:
                print(f'{line!r}: no answer: {reason}')
                return 1
            if not got.endswith(wanted):
                print(f'{line!r}: {wanted} expected, not {got!r}')
                failed += 1
        shell.close()
    print(f'{len(CASES) - failed} of {len(CASES)} lines')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
