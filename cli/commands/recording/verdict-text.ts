import {
  verdictNames,
  type RecordingVerification,
  type SealedAmount,
  type SealVerification,
} from '../../../shared/recordings/verification.ts'
import { type Io, toPlainText } from '../../base/io.ts'

const originNotes = {
  archive:
    'It was made of an HTTP archive: who signed it vouches for what was imported, not for what the archive tells.',
  reduction: 'It was made of another recording: who signed it vouches for what was chosen, not for that recording.',
} as const

export function describeVerification(
  { verdict, total, problems, seals, replaced, removed, hasOnlyTokensClaim, madeOf }: RecordingVerification,
  style: Io['style'],
): string[] {
  const isGood = verdict === 'intact' || verdict === 'redacted'
  return [
    (isGood ? style.success : style.failure)(verdictNames[verdict]),
    ...problems.map(({ entry, reason }) => `  ${toPlainText(entry)}: ${toPlainText(reason)}`),
    ...seals.map((seal) => describeSeal(seal, verdict === 'changed' ? null : total)),
    ...replaced.map(({ entry, count }) => `  ${toPlainText(entry)}: ${count} replaced`),
    ...removed.map((entry) => `  ${toPlainText(entry)}: taken out`),
    ...(madeOf ? [originNotes[madeOf]] : []),
    ...(seals.length > 1 && hasOnlyTokensClaim ? ['The manifest says that nothing but tokens was removed.'] : []),
  ]
}

/**
 * Says who vouches for what: the first seal for what it still covers, a later one for the rest.
 * @param total null if the file was changed: then nobody vouches for anything
 */
function describeSeal(
  { number, createdAt, fingerprint, vouched }: SealVerification,
  total: SealedAmount | null,
): string {
  const signer = fingerprint === null ? 'not signed' : `signed by ${toPlainText(fingerprint)}`
  const seal = `Seal ${number} of ${formatTime(createdAt)}, ${signer}`
  if (total === null) return seal
  return number === 1
    ? `${seal}: ${vouched.lines} of ${total.lines} lines and ${vouched.entries} of ${total.entries} other entries are as sealed`
    : `${seal}: ${vouched.lines} lines and ${vouched.entries} other entries more, as whoever redacted left them`
}

/** A file may say any number. */
export function formatTime(timestamp: number): string {
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString()
}
