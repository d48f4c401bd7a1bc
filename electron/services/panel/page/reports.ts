import { z } from 'zod'
import { MAX_PANEL_NOTE_CHARS, panelNoteSchema } from '../../../../shared/panel/panel.ts'
import { parseElementReport, type ElementReport } from '../call/element-report.ts'
import type { NewPanelNote } from '../call/types.ts'

/** The path to which the helper script sends notes about events in the page. */
export const NOTES_PATH = '/__inspector/notes'

/** The path to which the helper script reports that a load of the page has begun. */
export const LOAD_PATH = '/__inspector/load'

/** The path to which the helper script reports that a load of the page ends. */
export const LEFT_PATH = '/__inspector/left'

/** The path to which the helper script reports addresses that elements got. */
export const ELEMENTS_PATH = '/__inspector/elements'

/** Maximum bytes and notes of one report, because the page may send anything. */
const MAX_REPORT_BYTES = 256 * 1024
const MAX_NOTES = 200

const POSITION_SCHEMA = z.number().int().min(0).max(10_000_000).nullable().catch(null)
const noteSchema = z.object({
  kind: z.enum(['console', 'error', 'refused', 'click']),
  /** When it happened, in epoch milliseconds. */
  at: z.number().optional().catch(undefined),
  level: panelNoteSchema.shape.level.catch('info'),
  what: panelNoteSchema.shape.what.catch(null),
  text: z.string(),
  /** Number of characters before the page truncated the text. */
  length: z.number().int().nonnegative().catch(0),
  file: z.string().catch(''),
  line: POSITION_SCHEMA,
  column: POSITION_SCHEMA,
  calls: panelNoteSchema.shape.calls.catch([]),
  rejectedCall: panelNoteSchema.shape.rejectedCall.catch(null),
})
const reportSchema = z.object({
  // The notes of a report with an invalid title are still valid.
  title: z.string().nullish().catch(null),
  lost: z.number().int().min(0).max(1_000_000).catch(0),
  notes: z.array(z.unknown()).max(1_000).catch([]),
})

const loadSchema = z.object({
  load: z.number().int().positive(),
  at: z.number(),
  isReload: z.boolean(),
  page: z.string().max(2_000).catch(''),
})
/** Its number, its navigation's start in epoch ms, whether it was a reload, path with query. */
export type PageLoad = z.infer<typeof loadSchema>

const leftSchema = loadSchema.pick({ load: true })

interface PageReport {
  /** Null if the report contains no title. */
  readonly title: string | null
  readonly lostCount: number
  readonly notes: NewPanelNote[]
}

const EMPTY_REPORT: PageReport = { title: null, lostCount: 0, notes: [] }

/** Ignores invalid parts, because any script of the page can send such reports. */
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

/** Returns null for an invalid report. */
export async function readLoad(request: Request): Promise<PageLoad | null> {
  return loadSchema.safeParse(await readJson(request)).data ?? null
}

/** Returns the number of the load that ends; null for an invalid report. */
export async function readLeftLoad(request: Request): Promise<number | null> {
  return leftSchema.safeParse(await readJson(request)).data?.load ?? null
}

/** Returns null for an invalid report. */
export async function readElements(request: Request): Promise<ElementReport | null> {
  const { protocol, host } = new URL(request.url)
  return parseElementReport(await readJson(request), `${protocol}//${host}`)
}

/** Addresses of the page's own origin become paths: it changes each time the panel is opened. */
function boundNote({ length, at, ...note }: z.infer<typeof noteSchema>, request: Request): NewPanelNote {
  const pageUrl = new URL(request.url)
  const origin = `${pageUrl.protocol}//${pageUrl.host}`
  const removeOrigin = (text: string): string => text.replaceAll(origin, '')
  const text = removeOrigin(note.text)
  const isCut = length > note.text.length || text.length > MAX_PANEL_NOTE_CHARS
  return {
    ...note,
    ...(at === undefined ? {} : { at }),
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
