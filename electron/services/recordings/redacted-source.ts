import type { RecordingSource } from '../../recording-file/recording-writer.ts'
import type { LinePart, RecordedExchange, RecordedLine, RedactionPolicy } from '../../../shared/recordings/recording.ts'
import type { RecordingRedaction } from './redaction/recording-redaction.ts'

type Lines<Part extends LinePart> = AsyncIterable<RecordedLine<Part>> | Iterable<RecordedLine<Part>>

export const isRedacted = (policy: RedactionPolicy): boolean =>
  Object.values(policy).some((choice) => choice !== 'keep')

/**
 * What is left of a recording after a redaction.
 * @param redaction has learned all exchanges
 */
export function redactSource(
  source: RecordingSource,
  redaction: RecordingRedaction,
  policy: RedactionPolicy,
): RecordingSource {
  const { exchanges = [], ...lists } = source.lines
  const redactPart = <Part extends Exclude<LinePart, 'exchanges'>>(part: Part, lines: Lines<Part> | undefined) =>
    lines === undefined ? {} : { [part]: redactLines(redaction, part, lines) }
  return {
    ...source,
    describe() {
      const facts = source.describe()
      return {
        ...redaction.redactManifest(facts),
        // Like the steps, it is written for whoever gets the recording.
        title: facts.title,
        leftOut: [...facts.leftOut, ...redaction.listLeftOut()],
        redaction: isRedacted(policy) ? policy : null,
      }
    },
    lines: {
      exchanges: redactExchanges(redaction, exchanges),
      ...redactPart('operations', lists.operations),
      ...redactPart('findings', lists.findings),
      ...redactPart('deviations', lists.deviations),
      ...redactPart('console', lists.console),
      ...redactPart('overrides', lists.overrides),
      ...redactPart('snapshots', lists.snapshots),
      ...redactPart('steps', lists.steps),
    },
    loadBody: (name) => redaction.loadBody(name),
  }
}

async function* redactExchanges(
  redaction: RecordingRedaction,
  exchanges: AsyncIterable<RecordedExchange> | Iterable<RecordedExchange>,
): AsyncGenerator<RecordedExchange> {
  for await (const exchange of exchanges) yield redaction.redactExchange(exchange)
}

async function* redactLines<Part extends Exclude<LinePart, 'exchanges'>>(
  redaction: RecordingRedaction,
  part: Part,
  lines: Lines<Part>,
): AsyncGenerator<RecordedLine<Part>> {
  for await (const line of lines) yield redaction.redactLine(part, line)
}
