import { z } from 'zod'

/** Kinds of texts, as the preview of a redaction names them. */
export const textKinds = ['titles', 'excerpts', 'notes', 'fileNames', 'console', 'other'] as const
export type TextKind = (typeof textKinds)[number]

const kindsOfNames: readonly (readonly [pattern: RegExp, kind: TextKind])[] = [
  [/title|^name$|heading|hashtag|tags?$|folder/i, 'titles'],
  [/excerpt|ocr|matched|snippet|^q$|quer(?:y|ies)$/i, 'excerpts'],
  [/^texts?$|comment|note$|markdown|description|question|prefix/i, 'notes'],
  [/file|path/i, 'fileNames'],
]

export function getTextKind(name: string): TextKind {
  return kindsOfNames.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

const MAX_SAMPLES = 6
const MAX_SAMPLE_CHARS = 160

const count = z.number().int().nonnegative()
const sampleSchema = z.strictObject({
  /** The first place: a part or a method with its path template, and a name. */
  place: z.string(),
  before: z.string(),
  after: z.string(),
})
const changedSchema = z.strictObject({
  kept: count,
  replaced: count,
  dropped: count,
  /** Different ones, the first that occur; long ones are cut. Equal before and after if kept. */
  samples: z.array(sampleSchema).max(MAX_SAMPLES),
})
const remainingSchema = z.strictObject({ count, samples: z.array(z.string()).max(MAX_SAMPLES) })

/** The preview is shown before anything is written. */
export const redactionPreviewSchema = z.strictObject({
  texts: z.strictObject(
    Object.fromEntries(textKinds.map((kind) => [kind, changedSchema])) as Record<TextKind, typeof changedSchema>,
  ),
  ids: changedSchema,
  /** Strings that the contract allows to stay, besides ids. */
  remaining: z.strictObject({ words: remainingSchema, times: remainingSchema, opaque: remainingSchema }),
  /** Tokens, keys and cookies that were removed. */
  tokens: count,
  bodies: z.strictObject({
    json: count,
    text: count,
    pictures: z.strictObject({ kept: count, grey: count, dropped: count }),
    /** PDF, sound, video, and bytes of no known kind. */
    documents: z.strictObject({ kept: count, dropped: count }),
  }),
})
export type RedactionPreview = z.infer<typeof redactionPreviewSchema>
type Changed = z.infer<typeof changedSchema>
type Remaining = z.infer<typeof remainingSchema>

const createChanged = (): Changed => ({ kept: 0, replaced: 0, dropped: 0, samples: [] })
const createRemaining = (): Remaining => ({ count: 0, samples: [] })
const cut = (text: string): string =>
  text.length > MAX_SAMPLE_CHARS ? `${text.slice(0, MAX_SAMPLE_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : text

/** Counts what a redaction does, with samples. */
export class RedactionTally {
  #preview = createPreview()
  /** Origin of the strings that are counted next. */
  place = ''

  getPreview(): RedactionPreview {
    return structuredClone(this.#preview)
  }

  reset(): void {
    this.#preview = createPreview()
  }

  countText(kind: TextKind, name: string, before: string, after: string): void {
    this.#count(this.#preview.texts[kind], name, before, after)
  }

  countId(before: string, after: string): void {
    this.#count(this.#preview.ids, '', before, after)
  }

  /** Counts an id that stays, once there are enough samples. @returns true if it was counted */
  countKnownId(): boolean {
    const { ids } = this.#preview
    if (ids.samples.length < MAX_SAMPLES) return false
    ids.kept += 1
    return true
  }

  countKept(kind: keyof RedactionPreview['remaining'], text: string): void {
    const remaining = this.#preview.remaining[kind]
    remaining.count += 1
    if (remaining.samples.length < MAX_SAMPLES && !remaining.samples.includes(cut(text)))
      remaining.samples.push(cut(text))
  }

  #count(changed: Changed, name: string, before: string, after: string): void {
    changed[after === before ? 'kept' : after === '' ? 'dropped' : 'replaced'] += 1
    if (changed.samples.length >= MAX_SAMPLES) return
    const sample = { place: `${this.place} ${name}`.trim(), before: cut(before), after: cut(after) }
    if (!changed.samples.some((other) => other.before === sample.before)) changed.samples.push(sample)
  }

  countToken(): void {
    this.#preview.tokens += 1
  }

  countBody(kind: 'json' | 'text'): void {
    this.#preview.bodies[kind] += 1
  }

  countPicture(effect: 'kept' | 'grey' | 'dropped'): void {
    this.#preview.bodies.pictures[effect] += 1
  }

  countDocument(effect: 'kept' | 'dropped'): void {
    this.#preview.bodies.documents[effect] += 1
  }
}

const createPreview = (): RedactionPreview => ({
  texts: Object.fromEntries(textKinds.map((kind) => [kind, createChanged()])) as RedactionPreview['texts'],
  ids: createChanged(),
  remaining: { words: createRemaining(), times: createRemaining(), opaque: createRemaining() },
  tokens: 0,
  bodies: {
    json: 0,
    text: 0,
    pictures: { kept: 0, grey: 0, dropped: 0 },
    documents: { kept: 0, dropped: 0 },
  },
})
