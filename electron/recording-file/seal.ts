// A seal is what integrity of a recording rests on: the hashes of all documents in one signed text
// (`roots`), and beside it what is needed to compute them again (`leaves`). Each redaction adds a
// seal of its own and leaves the earlier ones valid. docs/recording-format.md explains the format.

import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { DocumentKind } from './document-digest.ts'

export const INTEGRITY_PART = 'integrity'
const FIRST_LINE = 'bridge-inspector-recording seal 1'

const hex = (bytes: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`))

/** Where a document is, and how its hash is computed. */
export const leafRecordSchema = z.strictObject({
  document: z.number().int().positive(),
  /** Null if a redaction removed the document; only its hash is left, in `roots`. */
  entry: z.string().max(200).nullable(),
  /** Number of the line in the entry, from 1; absent if the whole entry is the document. */
  line: z.number().int().positive().optional(),
  /** Documents of the bodies that the line names, in the order of their names. */
  bodies: z.array(z.number().int().positive()).max(1_000).optional(),
  /** The key of all salts. Absent once a value was removed, because it would tell its salt. */
  seed: hex(16).optional(),
  /** The salts of the values that are left, one after the other, in base64. */
  salts: z.base64().optional(),
  /** The values that were removed: index and hash. */
  removed: z.array(z.tuple([z.number().int().nonnegative(), hex(32)])).optional(),
})
export type LeafRecord = z.infer<typeof leafRecordSchema>

export const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  /** PEM (SubjectPublicKeyInfo). */
  publicKey: z.string().max(1_000),
  fingerprint: z.string().max(200),
  /** Of the bytes of `roots`, in base64. */
  signature: z.base64().max(200),
})
export type RecordingSignature = z.infer<typeof signatureSchema>

/** Signs the text of a seal. */
export interface SignRoots {
  (roots: Uint8Array): RecordingSignature
  /** Of the key that signs. */
  readonly fingerprint: string
}

export function createSigner(privateKey: KeyObject): SignRoots {
  const publicKey = createPublicKey(privateKey)
  const fingerprint = getFingerprint(publicKey)
  const signRoots = (roots: Uint8Array): RecordingSignature => ({
    algorithm: 'Ed25519',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint,
    signature: sign(null, roots, privateKey).toString('base64'),
  })
  return Object.assign(signRoots, { fingerprint })
}

/** The first 16 bytes of the SHA-256 of the public key (SPKI, DER), in groups of four digits. */
export const getFingerprint = (publicKey: KeyObject): string =>
  (
    createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .slice(0, 32)
      .match(/.{4}/g) ?? []
  ).join(' ')

/** Returns the fingerprint of the key if the signature is valid, null otherwise. */
export function checkSignature(roots: Uint8Array, { publicKey, signature }: RecordingSignature): string | null {
  try {
    const key = createPublicKey(publicKey)
    const isValid = key.asymmetricKeyType === 'ed25519' && verify(null, roots, key, Buffer.from(signature, 'base64'))
    return isValid ? getFingerprint(key) : null
  } catch {
    return null
  }
}

export const getSealDir = (number: number): string => `${INTEGRITY_PART}/${String(number).padStart(4, '0')}`
export const getLeavesName = (number: number, index: number): string =>
  `${getSealDir(number)}/leaves-${String(index + 1).padStart(4, '0')}.ndjson`

export interface RootLine {
  readonly kind: DocumentKind
  /** The entry, with `:` and the number of a line; `bodies` for a body, whose name is secret. */
  readonly name: string
  /** In hex. */
  readonly root: string
}

export interface SealHead {
  readonly createdAt: number
  readonly program: string
  /** SHA-256 in hex of `roots` of the earlier seals, in order. */
  readonly earlier: readonly string[]
}

export interface Roots extends SealHead {
  readonly lines: readonly RootLine[]
}

export const formatRoots = ({ createdAt, program, earlier, lines }: Roots): string =>
  [
    FIRST_LINE,
    `created ${new Date(createdAt).toISOString()}`,
    `program ${program.replaceAll(/\s+/g, ' ')}`,
    ...earlier.map((digest, index) => `after ${getSealDir(index + 1)}/roots ${digest}`),
    ...lines.map(({ kind, name, root }, index) => `${index + 1} ${kind} ${name} ${root}`),
    '',
  ].join('\n')

const AFTER_LINE = /^after integrity\/\d{4,}\/roots ([0-9a-f]{64})$/
const ROOT_LINE = /^(\d+) (json|bytes) (\S{1,220}) ([0-9a-f]{64})$/

/** @returns null if the text is no seal of this version */
export function parseRoots(text: string): Roots | null {
  const [first, created, program, ...rest] = text.split('\n')
  if (first !== FIRST_LINE || rest.pop() !== '') return null
  const createdAt = Date.parse(created?.startsWith('created ') ? created.slice(8) : '')
  if (Number.isNaN(createdAt) || !program?.startsWith('program ')) return null
  const earlier: string[] = []
  const lines: RootLine[] = []
  for (const line of rest) {
    const after = AFTER_LINE.exec(line)
    const [, number, kind, name, root] = ROOT_LINE.exec(line) ?? []
    if (after?.[1] !== undefined && lines.length === 0) earlier.push(after[1])
    else if (Number(number) !== lines.length + 1 || name === undefined || root === undefined) return null
    else lines.push({ kind: kind === 'json' ? 'json' : 'bytes', name, root })
  }
  return { createdAt, program: program.slice(8), earlier, lines }
}
