import { MAX_PANEL_NOTE_CHARS, type PanelNote } from '../../../shared/panel/panel.ts'
import type { Bus } from '../bus.ts'
import type { NewPanelNote } from './call/types.ts'

/** Maximum number of notes that are stored. */
const MAX_NOTES = 1_000
/** Minimum time between two notifications of the pages. */
const PUBLISH_INTERVAL_MS = 100
/** A page that logs more repeats itself, so further notes of it are only counted. */
const MAX_PER_SECOND = 200

/** Longest time between an event in the page and its report. */
const MAX_REPORT_DELAY_MS = 10_000
/** The page may report any time; one that is implausible is replaced by the present. */
function boundTime(timestamp: number | undefined): number {
  const present = Date.now()
  const isPlausible = timestamp !== undefined && timestamp <= present && timestamp > present - MAX_REPORT_DELAY_MS
  return isPlausible ? timestamp : present
}

/** Keeps notes; `conceal` removes tokens from a text, `now` returns monotonic milliseconds. */
export function createPanelNotes(
  bus: Pick<Bus, 'publish'>,
  conceal: (text: string) => string,
  now: () => number = () => performance.now(),
) {
  let storedNotes: PanelNote[] = []
  let newest = 0
  let dropped = 0
  let secondStart = Number.NEGATIVE_INFINITY
  let countInSecond = 0
  let publishTimer: NodeJS.Timeout | null = null

  function schedulePublish(): void {
    publishTimer ??= setTimeout(() => {
      publishTimer = null
      bus.publish('panel.noted', { newest })
    }, PUBLISH_INTERVAL_MS).unref()
  }

  function boundText({ text, textLength = text.length }: NewPanelNote): Pick<PanelNote, 'text' | 'textLength'> {
    const concealed = conceal(text)
    const truncated = concealed.slice(0, MAX_PANEL_NOTE_CHARS)
    const isCut = textLength > text.length || truncated.length < concealed.length
    return { text: truncated, textLength: isCut ? Math.max(textLength, concealed.length) : truncated.length }
  }

  return {
    add(note: NewPanelNote): void {
      if (now() - secondStart >= 1_000) {
        secondStart = now()
        countInSecond = 0
      }
      countInSecond += 1
      if (countInSecond > MAX_PER_SECOND) {
        dropped += 1
        return schedulePublish()
      }
      newest += 1
      storedNotes.push({
        original: null,
        calls: [],
        rejectedCall: null,
        ...note,
        ...boundText(note),
        seq: newest,
        at: boundTime(note.at),
      })
      // Old notes are removed in groups, so that a full list is not copied with each note.
      if (storedNotes.length > MAX_NOTES * 1.25) {
        dropped += storedNotes.length - MAX_NOTES
        storedNotes = storedNotes.slice(-MAX_NOTES)
      }
      schedulePublish()
    },
    /** Adds a number of notes that the page could not report. */
    addLost(count: number): void {
      if (count === 0) return
      dropped += count
      schedulePublish()
    },
    listAfter: (seq: number): { notes: PanelNote[]; dropped: number } => ({
      notes: storedNotes.filter((note) => note.seq > seq).slice(-MAX_NOTES),
      dropped,
    }),
    clear(): void {
      storedNotes = []
      dropped = 0
      schedulePublish()
    },
    close: (): void => void (publishTimer && clearTimeout(publishTimer)),
  }
}
