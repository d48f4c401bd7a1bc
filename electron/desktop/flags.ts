import { linkIn } from './link.ts'

// Switches of Chromium, Electron and Node also show up in `process.argv`; they are not ours to judge.
const foreign =
  /^--?(no-sandbox|inspect|remote-|enable-|disable-|force-|ozone-|user-data-dir|password-store|lang|js-flags|use-|in-process-gpu|original-process-start-time|allow-|log-|v=|headless|trace-|no-zygote|class=|psn_)/

/**
 * The program's own flags, without the link that the system may have started it with. Unpackaged, `argv` is the executable, switches, the app's folder, then the flags; packaged, there is no folder.
 * Unknown flags that remain are refused by `parseConfig`, so that a typo is reported.
 */
export function ownFlags(argv: readonly string[], packaged: boolean): string[] {
  const folder = argv.findIndex((arg, at) => at > 0 && !arg.startsWith('-'))
  const after = packaged ? argv.slice(1) : folder === -1 ? [] : argv.slice(folder + 1)
  const link = linkIn(after)
  return after.filter((arg) => !foreign.test(arg) && arg !== '--' && arg !== link)
}
