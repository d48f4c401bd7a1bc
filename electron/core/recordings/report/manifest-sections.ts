import { toMarkdownCode as toCode } from '../../../../shared/format/markup.ts'
import {
  formatPartCount,
  type LeftOut,
  type ManifestFacts,
  type RecordingManifest,
  type RedactionPolicy,
} from '../../../../shared/recordings/recording.ts'

const reasonTexts: Readonly<Record<LeftOut['why'], string>> = {
  'not-selected': 'not selected',
  redacted: 'removed by the redaction',
  'not-stored': 'not stored',
  'no-longer-stored': 'no longer stored',
  'not-in-archive': 'not in the archive from which it was imported',
  'not-needed': 'not needed to show what it shows',
  'not-json': 'no JSON, or too large',
  'no-time': 'without a time',
  'no-request': 'without a request',
  'not-http': 'not HTTP, or messages of a WebSocket',
  'untrue-encoding': 'in another encoding than it says, and read as what it is',
}

const policyTexts: { readonly [Kind in keyof RedactionPolicy]: Readonly<Record<RedactionPolicy[Kind], string>> } = {
  texts: {
    keep: 'Texts of the library are as they were.',
    placeholder: 'Texts of the library are placeholders of the same length; equal ones were equal.',
    drop: 'Texts of the library were dropped.',
  },
  ids: { keep: 'Ids are as they were.', map: 'Ids were replaced by others of the same form.' },
  pictures: {
    keep: 'Pictures are as they were, without their metadata.',
    grey: 'Pictures are grey ones of the same size.',
    drop: 'Pictures were dropped.',
  },
}

/** Contents and gaps of the recording, and how to check it. */
export function formatManifestSections(
  facts: ManifestFacts,
  parts: RecordingManifest['parts'],
  fingerprint: string | null,
): string[] {
  const { leftOut, redaction } = facts
  return [
    '## What this recording holds',
    listFacts(facts, parts).join('\n'),
    '## What was left out',
    leftOut.length === 0 ? 'Nothing that the program knows of.' : leftOut.map(formatLeftOut).join('\n'),
    '## Redaction',
    redaction === null
      ? 'Only tokens were removed.'
      : (['texts', 'ids', 'pictures'] as const)
          .map((kind) => `- ${(policyTexts[kind] as Record<string, string>)[redaction[kind]]}`)
          .concat('- Tokens were removed.')
          .join('\n'),
    '## How to check it',
    fingerprint === null
      ? 'Nobody signed this recording: its seal shows damage, but not who made it.'
      : `Signed with the key ${toCode(fingerprint)}. Compare this fingerprint with what the sender tells you another way.`,
    '`bridge-inspector recording verify FILE` reads every byte, and names what was changed, removed or added.',
  ]
}

function listFacts({ createdAt, program, host, span }: ManifestFacts, parts: RecordingManifest['parts']): string[] {
  const hostTexts = [host.name, host.version, host.baseUrl].flatMap((text) => (text === null ? [] : [toCode(text)]))
  const counts = Object.entries(parts).map(([part, counts]) => `${formatPartCount(part, counts)} ${toCode(part)}`)
  return [
    `- Saved at ${formatTime(createdAt)} by ${toCode(`${program.name} ${program.version}`)}`,
    ...(hostTexts.length > 0 ? [`- Host: ${hostTexts.join(' ')}`] : []),
    ...(span ? [`- From ${formatTime(span.from)} to ${formatTime(span.to)}`] : []),
    ...(counts.length > 0 ? [`- ${counts.join(', ')}`] : []),
  ]
}

const formatLeftOut = ({ what, count, why }: LeftOut): string =>
  `- ${count === 0 ? '' : `${count} `}${toCode(what)}: ${reasonTexts[why]}`

/** Formats a time in UTC. A damaged file may hold numbers that are no times. */
export function formatTime(timestamp: number): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString().replace('T', ' ')
}
