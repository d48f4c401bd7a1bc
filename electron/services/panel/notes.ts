import { MAX_NOTE_CHARS, type PanelNote } from '../../../shared/panel/panel.ts'
import type { Bus } from '../bus.ts'
import type { NewNote } from './call/types.ts'

/** How many notes are kept. */
const MOST = 1_000
/** Pages are told at most this often. */
const TELL_MS = 100
/** How many notes a panel may make in a second: a page that writes without end says nothing new. */
const A_SECOND = 200

/** What happened in the page besides its calls, newest last. Whatever the page says about itself is text and nothing more. */
interface PanelNotes {
  add(note: NewNote): void
  /** So many notes never came here. */
  lose(count: number): void
  /** Notes after this number, oldest first, and how many are no longer kept or never were. */
  after(seq: number): { notes: PanelNote[]; dropped: number }
  clear(): void
  close(): void
}

/** `now` returns rising milliseconds, `conceal` removes tokens from a text. */
export function createPanelNotes(
  bus: Bus,
  conceal: (text: string) => string,
  now: () => number = () => performance.now(),
): PanelNotes {
  let kept: PanelNote[] = []
  let newest = 0
  let dropped = 0
  let began = Number.NEGATIVE_INFINITY
  let inSecond = 0
  let telling: NodeJS.Timeout | null = null

  function tellSoon(): void {
    telling ??= setTimeout(() => {
      telling = null
      bus.publish('panel.noted', { newest })
    }, TELL_MS).unref()
  }

  function bounded({ text, textLength = text.length }: NewNote): Pick<PanelNote, 'text' | 'textLength'> {
    const concealed = conceal(text)
    const kept = concealed.slice(0, MAX_NOTE_CHARS)
    const isCut = textLength > text.length || kept.length < concealed.length
    return { text: kept, textLength: isCut ? Math.max(textLength, concealed.length) : kept.length }
  }

  return {
    add(note) {
      if (now() - began >= 1_000) {
        began = now()
        inSecond = 0
      }
      inSecond += 1
      if (inSecond > A_SECOND) {
        dropped += 1
        return tellSoon()
      }
      newest += 1
      kept.push({ original: null, ...note, ...bounded(note), seq: newest, at: Date.now() })
      // In one go, so that a full list is not moved with each note.
      if (kept.length > MOST * 1.25) {
        dropped += kept.length - MOST
        kept = kept.slice(-MOST)
      }
      tellSoon()
    },
    lose(count) {
      if (count === 0) return
      dropped += count
      tellSoon()
    },
    after: (seq) => ({ notes: kept.filter((one) => one.seq > seq).slice(-MOST), dropped }),
    clear() {
      kept = []
      dropped = 0
      tellSoon()
    },
    close: () => void (telling && clearTimeout(telling)),
  }
}
