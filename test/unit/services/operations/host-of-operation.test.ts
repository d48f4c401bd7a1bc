import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startDemoHost, type DemoHost } from '../../../../electron/demo-host/server.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { buildCommitDraft, startWritableApp, buildTitleDraft } from '../../../support/program/writable-app.ts'

const auth = { header: 'Authorization', scheme: 'Bearer' }

/** Starts a server with several hosts behind one address, distinguished by path. */
async function startGateway(hosts: Readonly<Record<string, DemoHost>>): Promise<string> {
  const server = http.createServer((request, response) => {
    const [, name = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? []
    const port = hosts[name]?.port
    const headers = { ...request.headers, host: `127.0.0.1:${port}` }
    const forwarded = http.request(
      { host: '127.0.0.1', port, path, method: request.method, headers },
      (forwardedResponse) => {
        response.writeHead(forwardedResponse.statusCode ?? 502, forwardedResponse.headers)
        forwardedResponse.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a record of one host is not requested from another behind the same gateway', async () => {
  const hosts = { a: await startDemoHost({ nodes: 20 }), b: await startDemoHost({ nodes: 20 }) }
  onTestFinished(() => Promise.all([hosts.a.close(), hosts.b.close()]).then(() => undefined))
  const base = await startGateway(hosts)
  const app = await startComposedApp(createTempDir(), ['--demo-nodes', '10'])
  const connect = async (name: 'a' | 'b') => {
    const draft = { name, baseUrl: `${base}/${name}`, auth, readOnly: false }
    const { profile } = await app.call('profiles.save', draft)
    await app.call('vault.set', { profileId: profile.id, token: hosts[name].token, remember: false })
    expect((await app.call('connection.connect', { profileId: profile.id })).phase).toBe('online')
  }
  await connect('a')
  const [set] = hosts.a.state.library.sets
  const draft = buildCommitDraft(set?.topicid ?? '', set?.cards[0]?.noteid ?? '', 'r-1')
  const { ticket } = await app.call('operations.prepare', draft)
  const { summary } = await app.call('operations.send', { ticket })
  await connect('b')
  expect((await app.callExpectingError('operations.readBack', { id: summary.id })).wire.code).toBe(
    'OPERATION_ELSEWHERE',
  )
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(hosts.b.log.filter(({ path }) => path.endsWith('/pencil-result'))).toEqual([])
  const { summary: current } = await app.call('operations.get', { id: summary.id })
  expect([current.state, current.tracking, current.host]).toEqual(['pending', 'paused-offline', `${base}/a/bridge/v1`])
  const listed = await app.call('operations.list', { offset: 0, limit: 10, host: `${base}/b/bridge/v1` })
  expect([listed.total, listed.all]).toEqual([0, 1])
  // Request ids and the unfinished commit also belong to the other host.
  const preparedAgain = await app.call('operations.prepare', draft)
  expect([preparedAgain.sameRequestId, preparedAgain.blockedBy]).toEqual([null, null])
})

test('a step of a probe goes only to the host it was shown for', async () => {
  const other = await startDemoHost({ nodes: 20 })
  onTestFinished(() => other.close())
  let connectOther: (() => Promise<unknown>) | null = null
  const { app, set, card } = await startWritableApp({
    // The response arrives while another host is connected.
    alter: async ({ path }) => {
      const connectOnce = path.endsWith('/pencil-commit') ? connectOther : null
      if (connectOnce) connectOther = null
      await connectOnce?.()
      return null
    },
  })
  const { profile } = await app.call('profiles.save', { name: 'Other', baseUrl: other.baseUrl, auth, readOnly: false })
  await app.call('vault.set', { profileId: profile.id, token: other.token, remember: false })
  const target = { topicid: set.topicid, noteid: card.noteid, surfaceId: 'main', commentId: null }
  const input = { probe: 'same-request-id-again', target } as const
  const { plan } = await app.call('lab.plan', input)
  connectOther = () => app.call('connection.connect', { profileId: profile.id })
  const run = await app.call('lab.run', { ...input, plan })
  expect(run.steps.map(({ result }) => result)).toContain('failed')
  expect(other.log.filter(({ path }) => path.endsWith('/pencil-commit'))).toEqual([])
})

test('a record belongs to the study set in which its card was read', async () => {
  const { app, set, card, sendDraft } = await startWritableApp()
  const { summary } = await sendDraft(buildTitleDraft(card.noteid, 'New'))
  expect(summary.topicid).toBe(set.topicid)
  const body = { expectedRevision: '1', practice: { topic: '00000000-0000-4000-8000-000000000000' }, self: 'again' }
  await sendDraft({ endpoint: 'notes.practiceVerdict', params: { noteid: card.noteid }, query: {}, body })
  const listed = await app.call('operations.list', { offset: 0, limit: 10, topicid: set.topicid })
  expect([listed.total, listed.topicids]).toEqual([2, [set.topicid]])
})
