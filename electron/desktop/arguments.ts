import { commandNames } from '../system/command-names.ts'
import { findLink } from './link-handler.ts'

// Switches of Chromium, Electron and Node in `process.argv`, which are not flags of this program.
const FOREIGN_SWITCH_PATTERN =
  /^--?(no-sandbox|inspect|remote-|enable-|disable-|force-|ozone-|user-data-dir|password-store|lang|js-flags|use-|in-process-gpu|original-process-start-time|allow-|log-|v=|headless|trace-|no-zygote|class=|psn_)/

/**
 * Returns the program's own flags, without a link that the system passed. Unpackaged, `argv` is the
 * executable, switches, the app's folder, then the flags; packaged, there is no folder.
 * `parseConfig` refuses the unknown flags among them, so a typo is reported.
 */
export function getProgramFlags(argv: readonly string[], isPackaged: boolean): string[] {
  const folder = argv.findIndex((arg, index) => index > 0 && !arg.startsWith('-'))
  const args = isPackaged ? argv.slice(1) : folder === -1 ? [] : argv.slice(folder + 1)
  const link = findLink(args)
  return args.filter((arg) => !FOREIGN_SWITCH_PATTERN.test(arg) && arg !== '--' && arg !== link)
}

/** Tells whether the word after this flag is its value. */
type TakesValue = (flag: string) => boolean

interface CommandWords {
  /** Null if there are only flags, which means that the window opens. */
  readonly command: string | null
  /** All words except the command `open`, which is the default. */
  readonly flags: readonly string[]
}

/** Words for which the program opens no window. */
const windowlessWords: ReadonlySet<string> = new Set([...commandNames, 'help', '--version', '-V'])

/** Splits the words of a command line. The command may stand before, between or after the flags. */
export function parseCommandWords(words: readonly string[], takesValue: TakesValue): CommandWords {
  const commandIndex = words.findIndex(
    (word, index) => windowlessWords.has(word) && !takesValue(words[index - 1] ?? ''),
  )
  const command = words[commandIndex] ?? null
  if (command !== 'open') return { command, flags: words }
  return { command: null, flags: words.filter((_, index) => index !== commandIndex) }
}
