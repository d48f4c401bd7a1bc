import { z } from 'zod'
import { MAX_NOTE_CHARS, panelNoteSchema } from '../../../../shared/panel/panel.ts'
import type { NewPanelNote } from '../call/types.ts'

/** Where the helper script tells what happened in the page. */
export const NOTES_PATH = '/__inspector/notes'

/** Where the helper script tells that a load of the page has begun. */
export const LOAD_PATH = '/__inspector/load'

/** More is not read of one report: the page is foreign, and may send anything. */
const MAX_REPORT_BYTES = 256 * 1024
const MAX_NOTES = 200

const place = z.number().int().min(0).max(10_000_000).nullable().catch(null)
const noteSchema = z.object({
  kind: z.enum(['console', 'error', 'refused']),
  level: panelNoteSchema.shape.level.catch('info'),
  what: panelNoteSchema.shape.what.catch(null),
  text: z.string(),
  /** Characters of the text before the page cut it. */
  length: z.number().int().nonnegative().catch(0),
  file: z.string().catch(''),
  line: place,
  column: place,
})
const reportSchema = z.object({
  // A page may have any title; the notes beside it count all the same.
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
  /** The page's title; null if it does not say. */
  readonly title: string | null
  /** Notes that the page could not report. */
  readonly lostCount: number
  readonly notes: NewPanelNote[]
}

const nothing: PageReport = { title: null, lostCount: 0, notes: [] }

/**
 * What the helper script reports. What is not of its shape is left out: the page can send the same
 * requests.
 */
export async function readReport(request: Request): Promise<PageReport> {
  const parsed = reportSchema.safeParse(await readJson(request))
  if (!parsed.success) return nothing
  const notes = parsed.data.notes.slice(0, MAX_NOTES).flatMap((one): NewPanelNote[] => {
    const note = noteSchema.safeParse(one)
    return note.success ? [bounded(note.data, request)] : []
  })
  return {
    title: parsed.data.title?.replace(/\s+/g, ' ').trim().slice(0, 100) || null,
    lostCount: parsed.data.lost,
    notes,
  }
}

/** The load that the helper script reports; null for anything else. */
export async function readLoad(request: Request): Promise<PageLoad | null> {
  return loadSchema.safeParse(await readJson(request)).data ?? null
}

/** Addresses of the page's own origin become paths: its origin changes with each opening. */
function bounded({ length, ...note }: z.infer<typeof noteSchema>, request: Request): NewPanelNote {
  const own = new URL(request.url)
  const origin = `${own.protocol}//${own.host}`
  const shorter = (text: string): string => text.replaceAll(origin, '')
  const text = shorter(note.text)
  const isCut = length > note.text.length || text.length > MAX_NOTE_CHARS
  return {
    ...note,
    text: text.slice(0, MAX_NOTE_CHARS),
    textLength: isCut ? Math.max(length, text.length) : text.length,
    file: shorter(note.file).slice(0, 2_000),
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
