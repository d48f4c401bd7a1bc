/** @module-tag slow */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, readdirSync } from 'node:fs'
import os from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { TOKEN } from '../../../support/services/test-client.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { Uploads } from '../../../../electron/services/uploads/uploads.ts'

const bytes = Buffer.from('A document of a few bytes.\n'.repeat(40_000))
const PIECE_BYTES = 512 * 1024

/** Hands a file over in pieces as a page does. */
async function handOverFile(app: ComposedApp, file = bytes, endOffset = file.byteLength): Promise<string> {
  const { uploadId } = await app.call('uploads.begin', { size: file.byteLength })
  for (let offset = 0; offset < endOffset; offset += PIECE_BYTES) {
    const piece = file.subarray(offset, Math.min(endOffset, offset + PIECE_BYTES))
    await app.call('uploads.add', { uploadId, offset, data: piece.toString('base64') })
  }
  return uploadId
}

const createDraft = (upload?: string, more = {}) => ({
  endpoint: 'library.upload',
  params: {},
  query: { filename: 'Notes.pdf', ...more },
  ...(upload === undefined ? {} : { upload }),
})

async function startOnline(flags: string[]): Promise<ComposedApp> {
  const app = await startComposedApp(createTempDir(), flags, { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  return app
}

/** Starts a host that passes uploads to `take`, which may respond or not. */
async function startUploadHost(onUpload: (request: IncomingMessage, done: (value: unknown) => void) => void) {
  const server = createServer((request, response) => {
    const respond = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (request.url?.endsWith('/status')) return respond({ app: 'Other', bridgeApiVersion: '1', authorized: true })
    if (request.method === 'GET') return respond({ routes: [{ method: 'GET', path: '/capabilities' }] })
    onUpload(request, respond)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a file is sent once and unchanged, with confirm in the query', async () => {
  const received: { url: string; type: string; length: string; body: Buffer }[] = []
  const app = await startOnline([
    '--base-url',
    await startUploadHost((request, done) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        const { url = '', headers } = request
        const [type = '', length = ''] = [headers['content-type'], headers['content-length']]
        received.push({ url, type, length, body: Buffer.concat(pieces) })
        done({ persisted: true, bookmd5: 'B', addedToStudySet: false, movedToFolder: true })
      })
    }),
  ])
  const uploadId = await handOverFile(app)
  const prepared = await app.call('operations.prepare', createDraft(uploadId, { folder: 'A b/C' }))
  expect(prepared).toMatchObject({
    path: '/library/documents/upload?filename=Notes.pdf&folder=A%20b%2FC&confirm=1',
    added: ['confirm'],
    body: null,
    canPreview: false,
    file: { size: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') },
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.byteLength) },
  })
  expect(received).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(summary.verdict.persisted).toBe(true)
  expect(received).toHaveLength(1)
  expect(received[0]).toMatchObject({ url: `/bridge/v1${prepared.path}`, type: 'application/octet-stream' })
  expect(received[0]?.body.equals(bytes)).toBe(true)
  const last = app.events.filter(({ topic }) => topic === 'uploads.progress').at(-1)
  expect(last?.payload).toEqual({ uploadId, sent: bytes.byteLength, total: bytes.byteLength })
  // A sent file is removed and cannot be sent a second time.
  expect(await app.callExpectingError('operations.prepare', createDraft(uploadId))).toMatchObject({
    code: 'UPLOAD_UNKNOWN',
  })
})

test('canceling ends the request, whose outcome stays unknown, and it is not sent again', async () => {
  let requests = 0
  let received = 0
  let closed = false
  const app = await startOnline([
    '--base-url',
    await startUploadHost((request) => {
      requests += 1
      request.once('close', () => (closed = true))
      request.on('data', (piece: Buffer) => {
        received += piece.byteLength
        request.pause()
        setTimeout(() => request.resume(), 20)
      })
    }),
  ])
  const large = Buffer.alloc(24 * 1024 * 1024, 7)
  const uploadId = await handOverFile(app, large)
  const { ticket } = await app.call('operations.prepare', createDraft(uploadId))
  const sending = app.call('operations.send', { ticket })
  await expect.poll(() => received).toBeGreaterThan(0)
  await app.call('uploads.cancel', { uploadId })
  const { summary } = await sending
  expect(summary.state).toMatch(/^unknown/)
  await expect.poll(() => closed).toBe(true)
  expect(requests).toBe(1)
  expect(received).toBeLessThan(large.byteLength)
  expect(await app.callExpectingError('operations.send', { ticket })).toMatchObject({ code: 'TICKET_INVALID' })
})

test('a part of a file, a missing file, and a file for another route are refused, and nothing is sent', async () => {
  const app = await startOnline(['--base-url', await startUploadHost(() => expect.unreachable())])
  const partialUploadId = await handOverFile(app, bytes, PIECE_BYTES)
  const refusals: [object, string][] = [
    [createDraft(partialUploadId), 'UPLOAD_INCOMPLETE'],
    [createDraft(), 'UPLOAD_NEEDS_FILE'],
    [createDraft('nothing'), 'UPLOAD_UNKNOWN'],
    [
      { ...createDraft(partialUploadId), endpoint: 'studySets.create', query: {}, body: { title: 'T' } },
      'UPLOAD_NEEDS_FILE',
    ],
  ]
  for (const [input, code] of refusals)
    expect(await app.callExpectingError('operations.prepare', input)).toMatchObject({ code })
  const repeatedPiece = { uploadId: partialUploadId, offset: 0, data: 'AAAA' }
  expect(await app.callExpectingError('uploads.add', repeatedPiece)).toMatchObject({ code: 'UPLOAD_OUT_OF_STEP' })
  await app.call('uploads.drop', { uploadId: partialUploadId })
  expect(await app.callExpectingError('uploads.add', repeatedPiece)).toMatchObject({ code: 'UPLOAD_UNKNOWN' })
})

test('the demo host puts a document into a folder and a study set', async () => {
  const app = await startOnline(['--demo'])
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  const decodeText = (reply: { bytes: ArrayBuffer }): string => new TextDecoder().decode(reply.bytes)
  const readEndpoint = async (endpoint: string, query = {}) =>
    decodeText((await app.call('bridge.read', { endpoint, params: {}, query })) as never)
  const [topicid = ''] = /(?<="topicid":")[^"]+/.exec(await readEndpoint('studySets.list')) ?? []
  const uploadId = await handOverFile(app)
  const { ticket } = await app.call('operations.prepare', createDraft(uploadId, { folder: 'New folder', topicid }))
  const record = await app.call('operations.send', { ticket })
  expect(record.events.find(({ kind }) => kind === 'answer')).toMatchObject({ status: 200 })
  expect(record.summary.verdict.done).toBe('yes')
  // The request names no study set, so a missing study set is no missing part.
  const second = await app.call(
    'operations.prepare',
    createDraft(await handOverFile(app, Buffer.from('other')), { filename: 'B.pdf' }),
  )
  const { summary } = await app.call('operations.send', { ticket: second.ticket })
  expect([summary.state, summary.verdict.done]).toEqual(['persisted', 'yes'])
  expect(await readEndpoint('library.folders', { path: 'New folder' })).toContain('Notes.pdf')
})

test('files of a page are removed when the page or the program ends', () => {
  const uploads = new Uploads({ publish: () => undefined })
  const before = readdirSync(os.tmpdir()).filter((name) => name.startsWith('bridge-inspector-upload-'))
  const ownId = uploads.begin('page', 3)
  uploads.add('page', ownId, 0, Buffer.from('abc'))
  const otherId = uploads.begin('other', 3)
  const { path } = uploads.getFile(ownId)
  expect(() => uploads.add('page', otherId, 0, Buffer.from('abc'))).toThrow()
  uploads.dropAll('page')
  expect(existsSync(path)).toBe(false)
  expect(() => uploads.getFile(ownId)).toThrow()
  uploads.close()
  expect(readdirSync(os.tmpdir()).filter((name) => name.startsWith('bridge-inspector-upload-'))).toEqual(before)
})
