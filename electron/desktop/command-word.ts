import { commandWords } from '../../shared/command-words.ts'

/** What the program's own flags say that their next word is a value. */
type TakesValue = (flag: string) => boolean

interface Words {
  /** The command; null if these are only flags, so that the window opens. */
  readonly command: string | null
  /** The words without `open`, which is what happens without a command. */
  readonly flags: readonly string[]
}

/** What is answered without a window. */
const known: ReadonlySet<string> = new Set([...commandWords, 'help', '--version', '-V'])

/** Whether these words are for the command line: a command is among them, wherever it stands. */
export function commandIn(words: readonly string[], takesValue: TakesValue): Words {
  const at = words.findIndex((word, index) => known.has(word) && !takesValue(words[index - 1] ?? ''))
  const command = words[at] ?? null
  if (command !== 'open') return { command, flags: words }
  return { command: null, flags: words.filter((_, index) => index !== at) }
}
