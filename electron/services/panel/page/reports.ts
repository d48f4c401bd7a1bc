import { z } from 'zod'
import { MAX_PANEL_NOTE_CHARS, panelNoteSchema } from '../../../../shared/panel/panel.ts'
import type { NewPanelNote } from '../call/types.ts'

/** Where the helper script reports what happened in the page. */
export const NOTES_PATH = '/__inspector/notes'

/** Where the helper script reports that a load of the page has begun. */
export const LOAD_PATH = '/__inspector/load'

/** Maximum bytes and notes of one report, because the page may send anything. */
const MAX_REPORT_BYTES = 256 * 1024
const MAX_NOTES = 200

const POSITION_SCHEMA = z.number().int().min(0).max(10_000_000).nullable().catch(null)
const noteSchema = z.object({
  kind: z.enum(['console', 'error', 'refused']),
  level: panelNoteSchema.shape.level.catch('info'),
  what: panelNoteSchema.shape.what.catch(null),
  text: z.string(),
  /** Characters of the text before the page truncated it. */
  length: z.number().int().nonnegative().catch(0),
  file: z.string().catch(''),
  line: POSITION_SCHEMA,
  column: POSITION_SCHEMA,
})
const reportSchema = z.object({
  // An invalid title does not invalidate the notes.
  title: z.string().nullish().catch(null),
  lost: z.number().int().min(0).max(1_000_000).catch(0),
  notes: z.array(z.unknown()).max(1_000).catch([]),
})

const loadSchema = z.object({ load: z.number().int().positive(), at: z.number(), isReload: z.boolean() })
/**
 * A load of the page: its number, when its navigation began in epoch milliseconds, and whether the
 * page itself was loaded again.
 */
export type PageLoad = z.infer<typeof loadSchema>

interface PageReport {
  /** The page's title; null if the report has none. */
  readonly title: string | null
  /** Notes that the page could not report. */
  readonly lostCount: number
  readonly notes: NewPanelNote[]
}

const EMPTY_REPORT: PageReport = { title: null, lostCount: 0, notes: [] }

/**
 * Reads a report of the helper script. Invalid parts are left out, because the page can send the
 * same requests.
 */
export async function readReport(request: Request): Promise<PageReport> {
  const parsed = reportSchema.safeParse(await readJson(request))
  if (!parsed.success) return EMPTY_REPORT
  const notes = parsed.data.notes.slice(0, MAX_NOTES).flatMap((value): NewPanelNote[] => {
    const note = noteSchema.safeParse(value)
    return note.success ? [boundNote(note.data, request)] : []
  })
  return {
    title: parsed.data.title?.replace(/\s+/g, ' ').trim().slice(0, 100) || null,
    lostCount: parsed.data.lost,
    notes,
  }
}

/** Reads the load that the helper script reports; null for anything else. */
export async function readLoad(request: Request): Promise<PageLoad | null> {
  return loadSchema.safeParse(await readJson(request)).data ?? null
}

/**
 * Turns addresses of the page's own origin into paths, because the origin changes with each
 * opening.
 */
function boundNote({ length, ...note }: z.infer<typeof noteSchema>, request: Request): NewPanelNote {
  const pageUrl = new URL(request.url)
  const origin = `${pageUrl.protocol}//${pageUrl.host}`
  const removeOrigin = (text: string): string => text.replaceAll(origin, '')
  const text = removeOrigin(note.text)
  const isCut = length > note.text.length || text.length > MAX_PANEL_NOTE_CHARS
  return {
    ...note,
    text: text.slice(0, MAX_PANEL_NOTE_CHARS),
    textLength: isCut ? Math.max(length, text.length) : text.length,
    file: removeOrigin(note.file).slice(0, 2_000),
  }
}

async function readJson(request: Request): Promise<unknown> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of request.body ?? []) {
      size += piece.byteLength
      if (size > MAX_REPORT_BYTES) return null
      pieces.push(piece)
    }
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    return null
  }
}
