"""Drives the installed app through the desktop's accessibility interface, as a screen reader would: a packaged app lets no debugger in.

usage: drive.py EXECUTABLE   prints one line of JSON for each check: {"name": ..., "ok": ..., "detail": ...}
"""

import os
import subprocess

from seen import PATIENCE, check, find, press, says, start, wait

STUDY_SET = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
CARD = '2F434250-51B5-49D9-8607-E9C650C67873'

app = start('--demo', '--demo-nodes', '3000')


@check('starts, and is online with the demo')
def _():
    wait('status bar', 'Connection')
    says('Online')


@check('Chromium’s sandbox is on')
def _():
    with open(f'/proc/{app.pid}/cmdline', 'rb') as file:
        assert b'--no-sandbox' not in file.read()
    children = subprocess.run(['pgrep', '-f', 'type=renderer'], capture_output=True, text=True).stdout.split()
    seccomp = []
    for pid in children:
        with open(f'/proc/{pid}/status') as file:
            seccomp += [line.split()[1] for line in file if line.startswith('Seccomp:')]
    assert '2' in seccomp, f'Seccomp of the renderers: {seccomp}'


@check('a link of its scheme opens a place in the window that is there')
def _():
    second = start(f'bridge-inspector://open/study-sets/{STUDY_SET}/tree')
    assert second.wait(PATIENCE) == 0
    wait('tree')
    wait('tree item')
    assert app.poll() is None


@check('a link that names a host, or anything else but a place, changes nothing')
def _():
    for link in ['bridge-inspector://example.org/connect', 'bridge-inspector://open//example.org', 'bridge-inspector:x']:
        assert start(link).wait(PATIENCE) == 0
    assert find('tree') is not None


@check('a second start ends, and the first stays')
def _():
    assert start().wait(PATIENCE) == 0
    assert app.poll() is None


@check('a write is shown, sent, and followed to its outcome')
def _():
    assert start(f'bridge-inspector://open/notes/{CARD}?topicid={STUDY_SET}').wait(PATIENCE) == 0
    press('push button', 'Write…')
    press('menu item', 'Commit pencil strokes')
    press('push button', 'Unlock until the app exits')
    press('push button', 'Review')
    press('push button', 'Send')
    says('Saved')


@check('ends when it is told to, and leaves its data')
def _():
    app.terminate()
    app.wait(PATIENCE)
    folder = os.path.expanduser('~/.config/bridge-inspector')
    assert 'settings.json' in os.listdir(folder), os.listdir(folder)
