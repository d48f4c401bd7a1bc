import { describe, expect, test } from 'vitest'
import { detectDangerousSwitch as find } from '../../../electron/desktop/dangerous-switch.ts'
import { getDesktopTexts } from '../../../electron/desktop/texts.ts'

const refused = [
  '--remote-debugging-port',
  '--remote-debugging-port=9222',
  '-remote-debugging-port=0',
  '--REMOTE-debugging-port=0',
  '--remote-debugging-pipe',
  '--remote-debugging-address=0.0.0.0',
  '--remote-debugging-io-pipes=3,4',
  '--remote-allow-origins=*',
  '--inspect',
  '--inspect=0.0.0.0:9229',
  '--inspect-brk',
  '--inspect-brk=0',
  '--inspect-brk-node',
  '--inspect-port=9229',
  '--inspect-publish-uid=http',
  '--inspect-wait',
  '--debug',
  '--debug=5858',
  '--debug-brk',
  '--debug-port=1',
  '--wait-for-debugger',
  '--wait-for-debugger-children=renderer',
  '--js-flags=--expose-gc',
  '--js-flags',
  '--renderer-cmd-prefix=gdb --args',
  '--utility-cmd-prefix=sh',
  '--gpu-launcher=sh',
  '--browser-subprocess-path=/tmp/x',
  '--load-extension=/tmp/x',
  '--disable-web-security',
  '--single-process',
]
const switches = [
  '--demo',
  '--demo-nodes',
  '7',
  '--base-url',
  'http://127.0.0.1:42340/--inspect',
  '--data-dir=/tmp/inspect',
  '--no-open',
  '--no-sandbox',
  '--lang=de',
  '--ozone-platform=wayland',
  '--enable-features=WaylandWindowDecorations',
  '--disable-gpu',
  '--force-device-scale-factor=2',
  '--password-store=basic',
  'inspect',
  'remote-debugging-port=1',
  '--',
  '',
]

const dangerousSwitch = (argv: readonly string[], platform: NodeJS.Platform) => find(argv, () => false, platform)

describe('command-line switches of a packaged app', () => {
  test.each(refused)('safety 53: %s prevents the start', (arg) => {
    for (const platform of ['linux', 'win32', 'darwin'] as const) {
      expect(dangerousSwitch([...switches, arg, '--demo'], platform)).toBe(arg.split('=')[0])
      expect(dangerousSwitch(['--demo', '--', arg], platform)).toBe(arg.split('=')[0])
    }
  })

  test('safety 53: begin with a slash on Windows, which begins a path elsewhere', () => {
    expect(dangerousSwitch(['/remote-debugging-port=0'], 'win32')).toBe('/remote-debugging-port')
    expect(dangerousSwitch(['/inspect'], 'linux')).toBeNull()
  })

  test.each(switches)('%j does not prevent the start', (arg) => {
    expect(dangerousSwitch([arg], 'linux')).toBeNull()
  })

  test('safety 53: count even if Chromium gets them from elsewhere', () => {
    for (const name of ['remote-debugging-port', 'remote-debugging-pipe', 'inspect', 'inspect-brk']) {
      expect(find(['--demo'], (requestedName) => requestedName === name, 'linux')).toBe(`--${name}`)
    }
    expect(
      find(
        ['--demo'],
        (requestedName) => ['demo', 'no-sandbox', 'lang', 'allow-file-access-from-files'].includes(requestedName),
        'linux',
      ),
    ).toBeNull()
  })

  test('are named in the refusal in both languages', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      expect(getDesktopTexts(locale, []).dangerousSwitch.split('{name}')).toHaveLength(2)
    }
  })
})
