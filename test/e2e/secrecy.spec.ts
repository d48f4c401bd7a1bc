import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, startOwnHost, waitUntilSettled } from './support.ts'

/** Every form of a token that must not appear. */
function listForms(token: string): string[] {
  const bytes = Buffer.from(token)
  return [
    token,
    bytes.toString('base64').replace(/=+$/, ''),
    encodeURIComponent(token),
    bytes.toString('hex'),
    token.slice(0, 16),
  ]
}

/** Everything a page holds or shows, as text. */
const readStorage = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const stores = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie]
    const databases = await indexedDB.databases()
    const resources = performance.getEntriesByType('resource').map(({ name }) => name)
    return [document.documentElement.outerHTML, location.href, ...stores, JSON.stringify(databases), ...resources].join(
      '\n',
    )
  })

test('safety 1: a tour with failures leaves no token in the page, its traffic, its storage or a log @both @core', async ({
  app,
}) => {
  const { host, token, flags } = await startOwnHost({ nodes: 400 })
  const page = await app.restart(flags)
  const traffic: string[] = []
  page.on('console', (message) => traffic.push(message.text()))
  page.on('request', (request) =>
    traffic.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  )
  page.on(
    'response',
    (response) =>
      void response
        .text()
        .then((text) => traffic.push(text))
        .catch(() => undefined),
  )
  await waitForConnection(page)
  const observations: string[] = []
  const tree = `#/study-sets/${host.state.generatedSet.topicid}/tree`
  for (const place of [
    '#/library',
    '#/connect',
    '#/host',
    '#/host?view=routes',
    '#/host?view=guide',
    '#/host?view=context',
    tree,
    '#/settings',
  ]) {
    await go(page, place)
    await waitUntilSettled(page)
    observations.push(await readStorage(page))
  }
  await go(page, '#/connect')
  await page.getByRole('button', { name: /^Edit / }).click()
  observations.push(await readStorage(page))
  await page.keyboard.press('Escape')
  const countListings = (): number => host.log.filter(({ endpoint }) => endpoint === 'studySets.tree').length
  for (const fault of ['redirect', 'html-500', 'malformed-json', 'reset'] as const) {
    host.setFault(fault)
    await go(page, tree)
    const before = countListings()
    await page.getByRole('button', { name: 'Reload' }).click()
    // The alert of the fault before stays until the host has been asked again.
    await expect.poll(countListings).toBeGreaterThan(before)
    await waitUntilSettled(page)
    await expect(page.getByRole('alert').first()).toBeVisible()
    observations.push(await readStorage(page))
  }
  await host.close()
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText(/^\s*Offline/)
  observations.push(await readStorage(page), ...traffic, app.readLog())
  const everything = observations.join('\n')
  expect(everything.length).toBeGreaterThan(50_000)
  for (const form of listForms(token)) expect(everything.toLowerCase().includes(form.toLowerCase())).toBe(false)
})

test('safety 24, safety 25: the key disappears from the address bar, and a page of another origin can neither read nor write', async ({
  app,
  page,
}) => {
  test.skip(app.mode === 'electron', 'the desktop app listens on no port')
  await waitForConnection(page)
  expect(page.url()).not.toContain('key=')
  expect(await page.evaluate(() => document.cookie)).toBe('')
  await page.reload()
  await waitForConnection(page)
  const attack = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>attack</title>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => attack.once('listening', resolve))
  const { port } = attack.address() as AddressInfo
  const other = await page.context().newPage()
  await other.goto(`http://127.0.0.1:${port}/`)
  const outcome = await other.evaluate(async (target) => {
    const results: string[] = []
    for (const [path, method] of [
      ['/', 'GET'],
      ['/ipc/enter', 'POST'],
      ['/ipc/call', 'POST'],
      ['/ipc/events', 'GET'],
    ] as const) {
      for (const mode of ['cors', 'no-cors'] as const) {
        const body = method === 'POST' ? '{"id":"1","method":"app.info","input":{}}' : null
        await fetch(target + path, { method, mode, body, credentials: 'include' })
          .then(async (response) => results.push(`${path} ${mode} ${response.type} ${(await response.text()).length}`))
          .catch(() => results.push(`${path} ${mode} failed`))
      }
    }
    const frame = document.createElement('iframe')
    frame.src = target
    document.body.append(frame)
    await new Promise((resolve) => setTimeout(resolve, 500))
    return results
  }, app.baseUrl ?? '')
  for (const line of outcome) expect(line).toMatch(/failed$|opaque 0$/)
  await other.close()
  attack.close()
})
