import { MAX_NOTE_CHARS, type PanelNote } from '../../../shared/panel/panel.ts'
import type { Bus } from '../bus.ts'
import type { NewPanelNote } from './call/types.ts'

/** How many notes are kept. */
const MAX_NOTES = 1_000
/** Pages are told at most this often. */
const PUBLISH_INTERVAL_MS = 100
/** How many notes a panel may make in a second: a page that writes without end says nothing new. */
const MAX_PER_SECOND = 200

/**
 * What happened in the page besides its calls, newest last. Whatever the page says about itself is
 * text and nothing more.
 */
interface PanelNotes {
  add(note: NewPanelNote): void
  /** So many notes never came here. */
  addLost(count: number): void
  /** Notes after this number, oldest first, and how many are no longer kept or never were. */
  listAfter(seq: number): { notes: PanelNote[]; dropped: number }
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
    }, PUBLISH_INTERVAL_MS).unref()
  }

  function bounded({ text, textLength = text.length }: NewPanelNote): Pick<PanelNote, 'text' | 'textLength'> {
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
      if (inSecond > MAX_PER_SECOND) {
        dropped += 1
        return tellSoon()
      }
      newest += 1
      kept.push({ original: null, ...note, ...bounded(note), seq: newest, at: Date.now() })
      // In one go, so that a full list is not moved with each note.
      if (kept.length > MAX_NOTES * 1.25) {
        dropped += kept.length - MAX_NOTES
        kept = kept.slice(-MAX_NOTES)
      }
      tellSoon()
    },
    addLost(count) {
      if (count === 0) return
      dropped += count
      tellSoon()
    },
    listAfter: (seq) => ({ notes: kept.filter((one) => one.seq > seq).slice(-MAX_NOTES), dropped }),
    clear() {
      kept = []
      dropped = 0
      tellSoon()
    },
    close: () => void (telling && clearTimeout(telling)),
  }
}
