import { z } from 'zod'
import { createRefusedError } from '../../../shared/errors.ts'
import { isObject } from '../../../shared/json/object.ts'
import { listSchemaProblems } from '../../core/json/schema-problems.ts'

/** Cards of all study sets together. */
const MAX_LIBRARY_CARDS = 200_000
/** A listing keeps the depth of a card in one byte. */
const MAX_CARD_DEPTH = 100
const MAX_TEXT_CHARS = 100_000
const MAX_LIST_ITEMS = 10_000
const MAX_NAMED_PROBLEMS = 5

const id = z.string().regex(/^(?!\.+$)[\w.-]{1,100}$/, 'takes 1 to 100 letters, digits and . _ -, not dots alone')
const text = z.string().max(MAX_TEXT_CHARS)
const title = z.string().max(1_000)
const name = z.string().min(1).max(200)
const count = z.int().min(1)
const place = z.int().min(0).max(1_000_000_000)
const fraction = z.number().min(0).max(1)

const part = z.strictObject({
  id: id.optional(),
  /** The bytes of pictures, sound and files are made up. */
  kind: z.enum(['ink', 'excerpt_image', 'image', 'audio', 'video', 'attachment', 'blank_image']),
  ocrText: text.optional(),
  /** Rectangles `[x, y, width, height]` in fractions of the picture. */
  masks: z
    .array(z.tuple([fraction, fraction, fraction, fraction]))
    .max(200)
    .optional(),
})

const excerpt = z.strictObject({
  id: id.optional(),
  document: id,
  page: count,
  start: place,
  end: place,
  text,
})

const band = z.strictObject({
  id: id.optional(),
  height: z.number().min(1).max(10_000),
  role: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'takes a word of at most 40 characters')
    .optional(),
  owner: name.optional(),
  hasInk: z.boolean().optional(),
  closed: z.boolean().optional(),
  live: z.boolean().optional(),
})

const verdict = z.strictObject({
  self: name,
  reason: name.optional(),
  plugin: name.optional(),
  /** Milliseconds since 1970. */
  at: z.int().min(0).optional(),
})

const card = z.strictObject({
  id: id.optional(),
  title,
  texts: z.array(text).max(MAX_LIST_ITEMS).optional(),
  parts: z.array(part).max(MAX_LIST_ITEMS).optional(),
  /** Full paths, such as `#exam/2026`. */
  tags: z
    .array(z.string().regex(/^#\S{1,200}$/, 'begins with # and has no spaces'))
    .max(MAX_LIST_ITEMS)
    .optional(),
  /** Default 0. */
  color: z.int().min(0).max(15).optional(),
  /** Default -1. */
  fill: z.int().min(-1).max(2).optional(),
  revision: z.int().min(0).optional(),
  folded: z.boolean().optional(),
  subMap: z.boolean().optional(),
  /** By default, the document of the first excerpt. */
  document: id.optional(),
  page: count.optional(),
  /** Each is also a text of the card. */
  excerpts: z.array(excerpt).max(MAX_LIST_ITEMS).optional(),
  bands: z.array(band).max(MAX_LIST_ITEMS).optional(),
  /** Verdicts, the oldest first; they add no tags. */
  practice: z.array(verdict).max(MAX_LIST_ITEMS).optional(),
  get children(): z.ZodOptional<z.ZodArray<typeof card>> {
    return z.array(card).optional()
  },
})

const studySet = z.strictObject({
  id: id.optional(),
  title,
  /** Ids of documents; the first one is the main document. */
  documents: z.array(id).max(1_000).optional(),
  cards: z.array(card),
})

const document = z.strictObject({
  id: id.optional(),
  title,
  folder: name.optional(),
  /** True if the file is not on the device of the host. */
  missing: z.boolean().optional(),
  pages: z.array(text).min(1).max(MAX_LIST_ITEMS),
  contents: z
    .array(z.strictObject({ title, page: count, level: z.int().min(0).max(20).optional() }))
    .max(MAX_LIST_ITEMS)
    .optional(),
})

const plugin = z.strictObject({
  id: name,
  /** Without both, verdicts of the plugin lead to `PRACTICE_CONFIG_UNAVAILABLE`. */
  tagPrefix: z
    .string()
    .regex(/^#[^\s/]{1,100}$/, 'begins with # and has no / and no spaces')
    .optional(),
  reasons: z
    .array(z.strictObject({ id: name, label: name }))
    .max(100)
    .optional(),
})

/** The library that a demo host serves in place of the one that it generates. */
const libraryFileSchema = z.strictObject({
  $schema: z.string().optional(),
  studySets: z.array(studySet).max(1_000),
  documents: z.array(document).max(1_000).optional(),
  /** What is open in the host's user interface; default: the first study set, without a card. */
  open: z
    .strictObject({
      studySet: id,
      document: id.optional(),
      page: count.optional(),
      card: id.optional(),
    })
    .optional(),
  template: z.strictObject({ plugins: z.array(plugin).max(100) }).optional(),
  limits: z
    .strictObject({
      batchNoteIds: z.int().min(1).max(200).optional(),
      walkLimit: z.int().min(1).max(2_000_000).optional(),
      excerptLimit: z.int().min(1).max(50_000).optional(),
    })
    .optional(),
})

export type LibraryFile = z.infer<typeof libraryFileSchema>
export type LibraryFileCard = z.infer<typeof card>

export function createLibraryFileSchema(): object {
  return z.toJSONSchema(libraryFileSchema)
}

/** @throws LIBRARY_INVALID that names up to five members, such as `studySets[0].cards[3].color`. */
export function parseLibraryFile(value: unknown): LibraryFile {
  assertCardBounds(value)
  const { data, error } = libraryFileSchema.safeParse(value)
  if (data) return data
  throw createLibraryError(listSchemaProblems(error, 'library'))
}

export function createLibraryError(problems: readonly string[]): Error {
  const lines = problems.slice(0, MAX_NAMED_PROBLEMS)
  if (problems.length > lines.length) lines.push(`and ${problems.length - lines.length} more`)
  return createRefusedError('LIBRARY_INVALID', `The library is not valid. ${lines.join('; ')}`)
}

/** Checked before the schema is, which would follow a tree of any depth. */
function assertCardBounds(value: unknown): void {
  const sets: unknown = isObject(value) ? value['studySets'] : null
  if (!Array.isArray(sets)) return
  let total = 0
  const pending: { cards: unknown; path: string; depth: number }[] = []
  const addCards = (list: readonly unknown[], listPath: string, member: string, depth: number): void =>
    list.forEach((entry, index) => {
      if (isObject(entry)) pending.push({ cards: entry[member], path: `${listPath}[${index}].${member}`, depth })
    })
  addCards(sets, 'studySets', 'cards', 1)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { cards, path, depth } = next
    if (!Array.isArray(cards) || cards.length === 0) continue
    total += cards.length
    if (depth > MAX_CARD_DEPTH) throw createLibraryError([`${path}: cards are more than ${MAX_CARD_DEPTH} levels deep`])
    if (total > MAX_LIBRARY_CARDS)
      throw createLibraryError([`${path}: the study sets have more than ${MAX_LIBRARY_CARDS} cards`])
    addCards(cards, path, 'children', depth + 1)
  }
}
