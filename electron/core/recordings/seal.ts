// A seal says what each entry of a recording was when it was written (docs/recording-format.md):
// one hash for each entry in a text that is signed, the statement. This file also runs in a
// browser; electron/recording-file makes and checks seals.

import { z } from 'zod'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import { getPartOfEntry, lineSchemas, MAX_SEGMENT_LINES } from '../../../shared/recordings/recording.ts'

export const INTEGRITY_PART = 'integrity'
export const SALT_BYTES = 16
const FIRST_LINE = 'bridge-inspector-recording seal 2'

/** An entry of lines has a leaf for each line, any other entry has one for all of its bytes. */
export type EntryKind = 'lines' | 'bytes'

export function getEntryKind(entry: string): EntryKind {
  return Object.hasOwn(lineSchemas, getPartOfEntry(entry)) ? 'lines' : 'bytes'
}

export interface SealedEntry {
  readonly name: string
  readonly count: number
  /** Hash of all leaves of the entry, in hex. */
  readonly hash: string
}

export interface SealStatement {
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly program: string
  /** SHA-256 in hex of the statements of all earlier seals, in order. */
  readonly earlier: readonly string[]
  /** Sorted as in the file. */
  readonly entries: readonly SealedEntry[]
}

export function getSealDir(number: number): string {
  return `${INTEGRITY_PART}/${String(number).padStart(4, '0')}`
}

export function formatStatement({ createdAt, program, earlier, entries }: SealStatement): string {
  return [
    FIRST_LINE,
    `created ${new Date(createdAt).toISOString()}`,
    `program ${program.replaceAll(/\s+/g, ' ')}`,
    `salts ${SALT_BYTES}`,
    ...earlier.map((digest) => `after ${digest}`),
    ...entries.map(({ name, count, hash }) => `${getEntryKind(name)} ${count} ${hash} ${name}`),
    '',
  ].join('\n')
}

const AFTER_LINE = /^after ([0-9a-f]{64})$/
const ENTRY_LINE = /^(?:lines|bytes) (\d{1,4}) ([0-9a-f]{64}) ([a-z0-9._/-]{1,200})$/

/** @returns null if the text is no statement, or is written in another way than by this program */
export function parseStatement(text: string): SealStatement | null {
  const [, created = '', program = '', , ...rest] = text.split('\n')
  const createdAt = Date.parse(created.slice('created '.length))
  if (Number.isNaN(createdAt)) return null
  const earlier: string[] = []
  const entries: SealedEntry[] = []
  for (const line of rest) {
    const digest = AFTER_LINE.exec(line)?.[1]
    const [, count, hash, name] = ENTRY_LINE.exec(line) ?? []
    if (digest !== undefined) earlier.push(digest)
    else if (hash === undefined || name === undefined) continue
    else if (Number(count) > (getEntryKind(name) === 'lines' ? MAX_SEGMENT_LINES : 1)) return null
    else entries.push({ name, count: Number(count), hash })
  }
  const statement = { createdAt, program: program.slice('program '.length), earlier, entries }
  return formatStatement(statement) === text ? statement : null
}

const encoder = new TextEncoder()

/** Joins fields, each after its length, so that no two lists of fields give the same bytes. */
function joinFields(fields: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = fields.map((field) => (typeof field === 'string' ? encoder.encode(field) : field))
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + 4 + length, 0))
  const view = new DataView(joined.buffer)
  let offset = 0
  for (const part of parts) {
    view.setUint32(offset, part.length)
    joined.set(part, offset + 4)
    offset += 4 + part.length
  }
  return joined
}

/** Beginning of what is hashed for a leaf; its content follows as the last field, up to the end. */
export function getLeafStart(entry: string, index: number, salt: Uint8Array): Uint8Array {
  return joinFields([`${FIRST_LINE} leaf`, getEntryKind(entry), entry, String(index), salt])
}

/** A SHA-256 that is computed at once by Node.js, and later by Web Crypto. */
export interface Sum {
  update(bytes: Uint8Array): unknown
  digest(): Uint8Array | Promise<Uint8Array>
}

/** Adds to a sum what is hashed for an entry: its name and number of leaves, then their hashes. */
export function addEntry(sum: Pick<Sum, 'update'>, entry: string, leaves: readonly Uint8Array[]): void {
  sum.update(joinFields([`${FIRST_LINE} entry`, getEntryKind(entry), entry, String(leaves.length)]))
  for (const leaf of leaves) sum.update(leaf)
}

/** A leaf has a salt, or its hash if a redaction replaced its content. */
export type Leaf = { readonly salt: Uint8Array } | { readonly hash: Uint8Array }

export function formatLeaf(leaf: Leaf): string {
  return 'salt' in leaf ? `salt ${toHex(leaf.salt)}\n` : `hash ${toHex(leaf.hash)}\n`
}

/** @param line without its end. @returns null if it is no leaf */
export function parseLeaf(line: string): Leaf | null {
  const [, salt, hash] = /^(?:salt ([0-9a-f]{32})|hash ([0-9a-f]{64}))$/.exec(line) ?? []
  if (salt !== undefined) return { salt: fromHex(salt) }
  return hash === undefined ? null : { hash: fromHex(hash) }
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))

const signatureSchema = z.strictObject({
  algorithm: z.literal('Ed25519'),
  /** PEM (SubjectPublicKeyInfo). */
  publicKey: z.string().max(1_000),
  /** Signature of the bytes of the statement, in base64. */
  signature: z.base64().max(200),
})
export type SealSignature = z.infer<typeof signatureSchema>

export function formatSignature(signature: SealSignature): string {
  return `${JSON.stringify(signature, null, 2)}\n`
}

/** @returns null if the text is no signature, or is written in another way than by this program */
export function parseSignature(text: string): SealSignature | null {
  const { data } = signatureSchema.safeParse(parseBodyText(text))
  return data && formatSignature(data) === text ? data : null
}

const KEY_BYTES = 44
const SIGNATURE_BYTES = 64

/** Writes a public key (SPKI, DER) as text. */
export function toPem(key: Uint8Array): string {
  const lines = toBase64(key).match(/.{1,64}/g) ?? []
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
}

/** Uses Web Crypto. Returns the signing key's fingerprint; null if it signed other bytes. */
export async function checkSignature(
  statement: Uint8Array<ArrayBuffer>,
  { publicKey, signature: text }: SealSignature,
): Promise<string | null> {
  try {
    const key = fromBase64(publicKey.replaceAll(/-----[A-Z ]+-----|\n/g, ''))
    const signature = fromBase64(text)
    // The same key or signature must not be written in two ways.
    const isCanonical = toPem(key) === publicKey && toBase64(signature) === text
    if (!isCanonical || key.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return null
    const verifier = await crypto.subtle.importKey('spki', key, 'Ed25519', false, ['verify'])
    const isValid = await crypto.subtle.verify('Ed25519', verifier, signature, statement)
    return isValid ? formatFingerprint(new Uint8Array(await crypto.subtle.digest('SHA-256', key))) : null
  } catch {
    return null
  }
}

const FINGERPRINT_BYTES = 16

/** The first 16 bytes of a key's SHA-256 (SPKI, DER), in groups of four digits. */
export function formatFingerprint(digest: Uint8Array): string {
  return (toHex(digest.subarray(0, FINGERPRINT_BYTES)).match(/.{4}/g) ?? []).join(' ')
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
