import type { RecordingCounts, RecordingPreview } from '../../../shared/ipc/recordings.ts'
import type { ExchangeSelection } from './exchange-selection.ts'
import { readBody, readExchanges, type RelatedParts } from './recorded-parts.ts'
import type { SavedSelection } from './recording-source.ts'
import type { LoadBody } from './redaction/redacted-bodies.ts'
import type { RecordingRedaction } from './redaction/recording-redaction.ts'

/** A preview redacts so many exchanges, and bodies up to this size. */
const MAX_SAMPLED_EXCHANGES = 60
const MAX_SAMPLED_BODY_BYTES = 1_048_576
/** It redacts so many lines of each other part. */
const MAX_SAMPLED_LINES = 100
const sampledParts = ['operations', 'findings', 'deviations', 'console', 'overrides'] as const

interface PreviewOptions extends Pick<SavedSelection, 'selection' | 'related' | 'store' | 'leftOut'> {
  readonly createRedaction: (loadBody: LoadBody) => RecordingRedaction
  readonly signal: AbortSignal
}

/** Describes what would be saved, with samples of what a redaction leaves. */
export async function createPreview({
  selection,
  related,
  store,
  leftOut,
  createRedaction,
  signal,
}: PreviewOptions): Promise<RecordingPreview> {
  const exchanges = selection.exchanges.filter(({ isContext }) => !isContext).slice(0, MAX_SAMPLED_EXCHANGES)
  const sampled = { ...selection, exchanges }
  const redaction = createRedaction(async (name) => {
    const place = selection.bodies.get(name)
    return place && place.bytes <= MAX_SAMPLED_BODY_BYTES ? readBody(store, place) : null
  })
  await redaction.learn(
    () => readExchanges(sampled, store, signal),
    undefined,
    (part) => (part === 'snapshots' ? [] : (related[part] as never)),
  )
  for await (const exchange of readExchanges(sampled, store, signal)) await redaction.redactExchange(exchange)
  redactRelated(redaction, related)
  return {
    counts: countParts(selection, related),
    bodyBytes: [...selection.bodies.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    span: selection.span,
    hosts: [...selection.hosts],
    contextExchanges: selection.exchanges.filter(({ isContext }) => isContext).length,
    leftOut: [...leftOut],
    redacted: redaction.getPreview(),
    sampledExchanges: exchanges.length,
  }
}

/** Redacts a few lines of each part. */
function redactRelated(redaction: RecordingRedaction, related: RelatedParts): void {
  for (const part of sampledParts)
    for (const line of related[part].slice(0, MAX_SAMPLED_LINES)) redaction.redactLine(part, line)
}

function countParts(selection: ExchangeSelection, { screenshots, ...related }: RelatedParts): RecordingCounts {
  const lists = Object.entries(related).map(([part, lines]: [string, readonly unknown[]]) => [part, lines.length])
  return {
    ...(Object.fromEntries(lists) as RecordingCounts),
    screenshots: screenshots.size,
    exchanges: selection.exchanges.length,
    bodies: selection.bodies.size,
  }
}
