/** @module-tag slow */

import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, describe, it } from 'vitest'
import { startServedRecording } from '../../../electron/demo-host/recorded/recorded-host.ts'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { redactRecording } from '../../../electron/recording-file/redaction.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { collect } from '../../support/data/collect.ts'
import {
  createPlantedRecording,
  createPngWithText,
  listSurvivors,
  listTokenForms,
  PLAIN_REQUESTS,
  PLANTED,
  plantedTexts,
  plantedTokens,
} from '../../support/data/planted-recording.ts'
import { createManifestFacts } from '../../support/data/recordings.ts'
import { pickRunCount } from '../../support/data/run-count.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { sendToServed } from '../../support/services/replay-recording.ts'

const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
const TEXTS = pickRunCount(84, PLANTED)
const texts = plantedTexts.slice(0, TEXTS)

/** A file that has a planted text in every place that a recording has for one. */
async function writePlanted(texts: readonly string[]): Promise<string> {
  const file = path.join(createTempDir(), 'planted.birec')
  const { exchanges, bodies, lines } = createPlantedRecording(texts)
  const [title = ''] = texts
  await writeRecording(
    file,
    {
      describe: () =>
        createManifestFacts({ title, host: { baseUrl: 'http://127.0.0.1:1', name: title, version: null } }),
      lines: { ...lines, exchanges },
      loadBody: (name) => Promise.resolve(bodies.get(name) ?? null),
      screenshots: new Map([['0001.png', () => Promise.resolve(createPngWithText(title))]]),
    },
    { sign },
  )
  return file
}

async function redactFile(file: string, policy: RedactionPolicy, tokens: readonly string[]): Promise<string> {
  const target = `${file}.redacted.birec`
  const recording = await openRecording(file)
  const redaction = new RecordingRedaction({ policy, tokens })
  await redactRecording(recording, target, redaction, { policy, sign })
  await recording.close()
  return target
}

/** The file as it is on disk, with names, extra fields and comments, and each entry. */
async function readAllBytes(file: string): Promise<Buffer[]> {
  const { zip, close } = await openRecording(file)
  const contents: Buffer[] = []
  for (const name of zip.entries.keys()) contents.push(await zip.readWhole(name, 1e9))
  await close()
  return [readFileSync(file), ...contents]
}

interface Repeated {
  /** The recording has its response. */
  readonly hasResponse: boolean
  readonly isServed: boolean
}

/** Sends the first requests of a file again to the file, in their order. */
async function repeatRequests(file: string): Promise<Repeated[]> {
  const recording = await openRecording(file)
  const exchanges = (await collect(recording.readExchanges())).slice(0, PLAIN_REQUESTS)
  const served = await startServedRecording(file)
  const repeated: Repeated[] = []
  try {
    for (const { row, requestBody, responseBody } of exchanges) {
      const text = requestBody === null ? null : Buffer.from(await recording.readBody(requestBody)).toString()
      const body = text === null ? {} : { body: JSON.parse(text) as unknown }
      const isRead = row.method === 'GET'
      const path = getHostApiPath(row)
      const { bytes } = await sendToServed(served, { method: row.method, path, ...(isRead ? {} : body) })
      repeated.push({ hasResponse: responseBody !== null, isServed: !bytes.includes('NOT_RECORDED') })
    }
  } finally {
    await served.close()
    await recording.close()
  }
  return repeated
}

/** Expects that a file is intact, and serves the responses that it has as the first one does. */
async function expectUsable(file: string, redacted: string): Promise<void> {
  const recording = await openRecording(redacted)
  expect(await verifyRecording(recording)).toMatchObject({ verdict: 'redacted', problems: [] })
  await recording.close()
  const [before, after] = [await repeatRequests(file), await repeatRequests(redacted)]
  const isExpected = after.map(({ hasResponse }, index) => hasResponse && before[index]?.isServed === true)
  expect(isExpected).toContain(true)
  expect(after.map(({ isServed }, index) => isServed && isExpected[index])).toEqual(isExpected)
}

describe('safety 57 and 69: in all bytes of a redacted file', () => {
  it.each([
    { texts: 'placeholder', ids: 'keep', pictures: 'grey' },
    { texts: 'drop', ids: 'map', pictures: 'drop' },
  ] as const)('none of 500 texts can be read, and it still serves ($texts)', { tags: 'long' }, async (policy) => {
    const file = await writePlanted(texts)
    expect(listSurvivors(await readAllBytes(file), texts)).toHaveLength(TEXTS)
    const redacted = await redactFile(file, policy, [])
    expect(listSurvivors(await readAllBytes(redacted), texts)).toEqual([])
    await expectUsable(file, redacted)
  })

  it.each(['keep', 'placeholder', 'drop'] as const)(
    'none of the tokens can be read in any form, and it still serves (texts %s)',
    { tags: 'long' },
    async (kind) => {
      const forms = plantedTokens.flatMap(listWrittenForms)
      const planted = Array.from({ length: TEXTS }, (_, index) => forms[index % forms.length] ?? '')
      const file = await writePlanted(planted)
      const redacted = await redactFile(file, { texts: kind, ids: 'keep', pictures: 'keep' }, plantedTokens)
      expect(listSurvivors(await readAllBytes(redacted), plantedTokens, listSearchedForms)).toEqual([])
      await expectUsable(file, redacted)
    },
  )
})

/** How a token may be written: plain, escaped, or encoded at each of three alignments. */
const listWrittenForms = (token: string): string[] => [
  `see ${token} there`,
  JSON.stringify({ token }),
  encodeURIComponent(token),
  Buffer.from(token).toString('hex'),
  Buffer.from(token).toString('hex').toUpperCase(),
  ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${token}:z`).toString('base64')),
  ...['', 'x', 'xy'].map((before) => Buffer.from(`${before}${token}:z`).toString('base64url')),
]

/** What of these forms only depends on the token. */
const listSearchedForms = (token: string): Buffer[] => [
  ...listTokenForms(token),
  ...(['base64', 'base64url'] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const encoded = Buffer.from('x'.repeat(before) + token).toString(encoding)
      const end = Math.floor(((before + token.length) * 4) / 3)
      return Buffer.from(encoded.slice(Math.ceil((before * 4) / 3), end))
    }),
  ),
]
