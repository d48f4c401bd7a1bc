import { commandNames } from '../../shared/command-names.ts'
import { findLink } from './link-handler.ts'

// Switches of Chromium, Electron and Node also show up in `process.argv`; they are not ours to judge.
const FOREIGN_SWITCH_PATTERN =
  /^--?(no-sandbox|inspect|remote-|enable-|disable-|force-|ozone-|user-data-dir|password-store|lang|js-flags|use-|in-process-gpu|original-process-start-time|allow-|log-|v=|headless|trace-|no-zygote|class=|psn_)/

/**
 * The program's own flags, without the link that the system may have started it with. Unpackaged, `argv` is the executable, switches, the app's folder, then the flags; packaged, there is no folder.
 * Unknown flags that remain are refused by `parseConfig`, so that a typo is reported.
 */
export function getProgramFlags(argv: readonly string[], packaged: boolean): string[] {
  const folder = argv.findIndex((arg, at) => at > 0 && !arg.startsWith('-'))
  const after = packaged ? argv.slice(1) : folder === -1 ? [] : argv.slice(folder + 1)
  const link = findLink(after)
  return after.filter((arg) => !FOREIGN_SWITCH_PATTERN.test(arg) && arg !== '--' && arg !== link)
}

/** What the program's own flags say that their next word is a value. */
type TakesValue = (flag: string) => boolean

interface Words {
  /** The command; null if these are only flags, so that the window opens. */
  readonly command: string | null
  /** The words without `open`, which is what happens without a command. */
  readonly flags: readonly string[]
}

/** What is answered without a window. */
const known: ReadonlySet<string> = new Set([...commandNames, 'help', '--version', '-V'])

/** Whether these words are for the command line: a command is among them, wherever it stands. */
export function parseCommandWords(words: readonly string[], takesValue: TakesValue): Words {
  const at = words.findIndex((word, index) => known.has(word) && !takesValue(words[index - 1] ?? ''))
  const command = words[at] ?? null
  if (command !== 'open') return { command, flags: words }
  return { command: null, flags: words.filter((_, index) => index !== at) }
}
