"""Drives the installed app through the desktop's accessibility interface, as a screen reader would: a packaged app lets no debugger in.

usage: drive.py EXECUTABLE   prints one line of JSON for each check: {"name": ..., "ok": ..., "detail": ...}
"""

import json
import os
import subprocess
import sys
import time

import pyatspi

EXECUTABLE = sys.argv[1]
STUDY_SET = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
CARD = '2F434250-51B5-49D9-8607-E9C650C67873'
# Only a failing check takes this long.
PATIENCE = 120


def window():
    desktop = pyatspi.Registry.getDesktop(0)
    for at in range(desktop.childCount):
        app = desktop.getChildAtIndex(at)
        if app is not None and app.name == 'bridge-inspector' and app.childCount > 0:
            return app
    return None


def every(node):
    """The node and everything in it; what vanishes meanwhile is left out."""
    try:
        yield node
        for at in range(node.childCount):
            child = node.getChildAtIndex(at)
            if child is not None:
                yield from every(child)
    except Exception:
        return


def matches(node, role, name):
    try:
        return node.getRoleName() == role and (name is None or name in node.name)
    except Exception:
        return False


def find(role, name=None):
    app = window()
    return next((node for node in every(app) if matches(node, role, name)), None) if app else None


def text_of(node):
    parts = []
    for one in every(node):
        try:
            if one.getRoleName() == 'static':
                parts.append(one.name)
        except Exception:
            pass
    return ' '.join(parts)


def until(what, find_it):
    end = time.time() + PATIENCE
    while time.time() < end:
        found = find_it()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f'not seen: {what}')


def wait(role, name=None):
    return until(f'{role} {name or ""}', lambda: find(role, name))


def usable(role, name):
    def there():
        node = find(role, name)
        return node if node and node.getState().contains(pyatspi.STATE_ENABLED) else None

    return until(f'{role} {name}, usable', there)


def press(role, name):
    usable(role, name).queryAction().doAction(0)


def says(text):
    return until(text, lambda: text in text_of(window()))


def check(name):
    def run(body):
        try:
            detail, ok = body() or '', True
        except Exception as error:
            detail, ok = str(error) or type(error).__name__, False
        print(json.dumps({'name': name, 'ok': ok, 'detail': detail}), flush=True)

    return run


def start(*flags):
    log = open(os.path.expanduser('~/app.log'), 'a')
    return subprocess.Popen([EXECUTABLE, *flags, '--force-renderer-accessibility'], stdout=log, stderr=log)


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
    press('push button', 'Review')
    press('push button', 'Send')
    says('Saved')


@check('ends when it is told to, and leaves its data')
def _():
    app.terminate()
    app.wait(PATIENCE)
    folder = os.path.expanduser('~/.config/bridge-inspector')
    assert 'settings.json' in os.listdir(folder), os.listdir(folder)
