import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { TOKEN } from '../../../support/services/test-client.ts'

const QUERY_PARAMETERS = ['root', 'limit', 'cursor', 'sort']

/**
 * Starts a host that serves card listings under the given paths only, and records the
 * requested URLs.
 */
async function startHostWithListings(
  listings: Readonly<Record<string, object>>,
): Promise<{ baseUrl: string; asked: string[] }> {
  const requestedUrls: string[] = []
  const routes = [
    { method: 'GET', path: '/capabilities' },
    { method: 'GET', path: '/library/study-sets' },
    ...Object.entries(listings).map(([name, more]) => ({ method: 'GET', path: `/study-sets/{id}/${name}`, ...more })),
  ]
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host')
    const respond = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (pathname === '/bridge/v1/status') return respond(200, { app: 'Other', bridgeApiVersion: '1', authorized: true })
    if (pathname === '/bridge/v1/capabilities') return respond(200, { bridgeApiVersion: '1', routes })
    requestedUrls.push(request.url ?? '')
    const name = /^\/bridge\/v1\/study-sets\/S%2F1\/([^/]+)$/.exec(pathname)?.[1] ?? ''
    if (!Object.hasOwn(listings, name)) return respond(404, { error: { code: 'ROUTE_NOT_FOUND', message: 'no' } })
    const isFirstPage = searchParams.get('cursor') === null
    respond(200, {
      topicid: 'S/1',
      nodeTotal: 2,
      nodes: [{ noteid: isFirstPage ? name : 'second', parent: null, title: 'T' }],
      nextCursor: isFirstPage ? 'C' : null,
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: requestedUrls }
}

async function connectTo(baseUrl: string) {
  const app = await startComposedApp(createTempDir(), ['--base-url', baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const readListing = async (more: Record<string, string> = {}): Promise<{ nodes: { noteid: string }[] }> => {
    const input = { endpoint: 'studySets.tree', params: { topicid: 'S/1' }, query: { limit: 5, ...more } }
    const reply = (await app.call('bridge.read', input)) as unknown as { bytes: ArrayBuffer }
    return JSON.parse(new TextDecoder().decode(reply.bytes)) as { nodes: { noteid: string }[] }
  }
  return { app, readListing }
}

test('a listing under an unknown name is found by its parameters, and read page by page', async () => {
  const { baseUrl, asked } = await startHostWithListings({ 'whole-map': { query: QUERY_PARAMETERS } })
  const { readListing } = await connectTo(baseUrl)
  expect((await readListing()).nodes).toMatchObject([{ noteid: 'whole-map' }])
  expect((await readListing({ cursor: 'C' })).nodes).toMatchObject([{ noteid: 'second' }])
  expect(asked).toEqual([
    '/bridge/v1/study-sets/S%2F1/whole-map?limit=5',
    '/bridge/v1/study-sets/S%2F1/whole-map?limit=5&cursor=C',
  ])
})

test('a person can choose among several listings, and enter one that the host does not list', async () => {
  const { baseUrl, asked } = await startHostWithListings({
    'first-map': { query: QUERY_PARAMETERS },
    'second-map': { query: QUERY_PARAMETERS },
  })
  const { app, readListing } = await connectTo(baseUrl)
  expect((await readListing()).nodes).toMatchObject([{ noteid: 'first-map' }])
  const [view] = await app.call('profiles.list', {})
  if (!view) throw new Error('no profile')
  const { id, name, auth, readOnly } = view.profile
  const choosePath = async (path: string): Promise<void> => {
    const epoch = (await app.call('connection.get', {})).epoch
    await app.call('profiles.save', { id, name, baseUrl, auth, readOnly, paths: { 'studySets.tree': path } })
    // A new path starts a new epoch, because responses from the other path are outdated.
    await expect.poll(async () => (await app.call('connection.get', {})).epoch).toBeGreaterThan(epoch)
  }
  await choosePath('/study-sets/{id}/second-map')
  expect((await readListing()).nodes).toMatchObject([{ noteid: 'second-map' }])
  await choosePath('/study-sets/{id}/unlisted')
  await expect(readListing()).rejects.toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  await choosePath('')
  expect((await readListing()).nodes).toMatchObject([{ noteid: 'first-map' }])
  expect(asked.map((url) => /S%2F1\/([a-z-]+)/.exec(url)?.[1])).toEqual([
    'first-map',
    'second-map',
    'unlisted',
    'first-map',
  ])
})
