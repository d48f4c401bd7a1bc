/**
 * Switches of Chromium, Electron and Node by which another program gets hold of this one (debuggers, code run in its processes or
 * in front of them), and those that take the page's protection away. Names end where they stand, or at `*`.
 *
 * Not `no-sandbox`: for anybody but root `app.enableSandbox()` takes it back, and root's Chromium does not start without it.
 */
const dangerous = [
  'remote-*',
  'inspect',
  'inspect-*',
  'debug',
  'debug-*',
  'wait-for-debugger*',
  'js-flags',
  'renderer-startup-dialog',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'utility-startup-dialog',
  'zygote-cmd-prefix',
  'gpu-launcher',
  'gpu-startup-dialog',
  'browser-subprocess-path',
  'load-extension',
  'disable-extensions-except',
  'disable-web-security',
  'disable-site-isolation-trials',
  'allow-file-access-from-files',
  'disable-gpu-sandbox',
  'disable-namespace-sandbox',
  'disable-seccomp-filter-sandbox',
  'disable-setuid-sandbox',
  'single-process',
] as const

/** Asked of Chromium as well. Only these: Electron sets some of the others by itself. */
const debuggers = ['remote-debugging-port', 'remote-debugging-pipe', 'inspect', 'inspect-brk']

const pattern = new RegExp(`^(?:${dangerous.map((name) => name.replace('*', '[a-z-]*')).join('|')})$`)

/**
 * The first switch that a packaged app does not start with, as it was written without its value, or null. A separator (`--`) before
 * it changes nothing: who parses the arguments after us may see it otherwise. `hasSwitch` is what Chromium made of them.
 */
export function dangerousSwitch(
  argv: readonly string[],
  hasSwitch: (name: string) => boolean,
  platform: NodeJS.Platform,
): string | null {
  const prefix = platform === 'win32' ? /^(?:--?|\/)/ : /^--?/
  for (const arg of argv) {
    const [written = ''] = arg.trim().split('=')
    const name = written.replace(prefix, '').toLowerCase()
    if (prefix.test(written) && pattern.test(name)) return written
  }
  const known = debuggers.find(hasSwitch)
  return known === undefined ? null : `--${known}`
}
