"""The app as a screen reader meets it: what a packaged app lets no debugger do. The executable is the first argument."""


import json
import os
import subprocess
import sys
import time

import pyatspi

EXECUTABLE = sys.argv[1]
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
