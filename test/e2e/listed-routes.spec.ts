import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go } from './support.ts'
import { dialog, field } from './writing.ts'

/** Routes that no document names, as a host may list them. */
const routes = [
  { method: 'GET', path: '/status', requiresMax: false },
  { method: 'GET', path: '/capabilities', requiresMax: false },
  { method: 'GET', path: '/notes/{id}/marks', requiresMax: false, query: ['color'] },
  { method: 'GET', path: '/notes/{id}/prose', requiresMax: false },
  { method: 'POST', path: '/notes/{id}/ink/rotate?mode=slow', requiresMax: true },
]

/** Starts a host that lists these routes, and records the requests to the routes of its cards. */
async function startListingHost() {
  const requests: string[] = []
  const respond = async (request: IncomingMessage): Promise<[type: string, body: string]> => {
    const path = (request.url ?? '').replace('/bridge/v1', '')
    if (path === '/status') return ['application/json', '{"app":"Listing","bridgeApiVersion":"0.99","authorized":true}']
    if (path === '/capabilities') return ['application/json', JSON.stringify({ routes })]
    let body = ''
    for await (const piece of request) body += String(piece)
    if (path.startsWith('/notes/')) requests.push([request.method, path, body].filter(Boolean).join(' '))
    if (path.includes('/prose')) return ['text/plain', 'Two  words,\n{ not JSON']
    return ['application/json', '{"marks":[12345678901234567890],"rotated":true}']
  }
  const server = createServer((request, response) => {
    void respond(request).then(([type, body]) => {
      response.writeHead(200, { 'content-type': type })
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { requests, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('the table calls a route that only the host lists: a read directly, a write through the gate', async ({ app }) => {
  const { requests, server, url } = await startListingHost()
  const page = await app.restart(['--base-url', url])
  await waitForConnection(page)
  await go(page, '#/host?view=routes')
  const callButton = (path: string) =>
    page.getByRole('row').filter({ hasText: path }).getByRole('button', { name: 'Call…' })

  await callButton('/marks').click()
  await expect(dialog(page)).toContainText('GET /notes/{id}/marks')
  await expectAccessible(page, 'a listed read')
  await dialog(page).getByRole('button', { name: 'Read', exact: true }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('Required')
  expect(requests).toEqual([])
  await field(page, 'id').fill('a/b')
  await field(page, 'color').fill('deep red')
  await dialog(page).getByLabel('Other query parameters').fill('limit=3\nbroken')
  await dialog(page).getByRole('button', { name: 'Read', exact: true }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('“broken”')
  await dialog(page).getByLabel('Other query parameters').fill('limit=3\nx=1=2')
  await dialog(page).getByRole('button', { name: 'Read', exact: true }).click()
  const sentValue = '/notes/a%2Fb/marks?color=deep%20red&limit=3&x=1%3D2'
  await expect(dialog(page).getByRole('status').filter({ hasText: '200' })).toContainText(sentValue)
  // The number is shown exactly, although no double can hold it.
  await expect(dialog(page)).toContainText('12345678901234567890')
  await expect(dialog(page).getByRole('button', { name: /number/ })).toBeVisible()
  expect(requests).toEqual([`GET ${sentValue}`])
  await expectAccessible(page, 'a listed read with its answer')
  await dialog(page).getByRole('button', { name: 'Close', exact: true }).click()

  await callButton('/prose').click()
  await field(page, 'id').fill('N')
  await dialog(page).getByRole('button', { name: 'Read', exact: true }).click()
  await expect(dialog(page)).toContainText('{ not JSON')
  await page.keyboard.press('Escape')

  requests.length = 0
  await callButton('/rotate').click()
  await expect(dialog(page)).toContainText('POST /notes/{id}/ink/rotate')
  await dialog(page).getByRole('button', { name: 'Unlock until the app exits' }).click()
  await field(page, 'id').fill('N')
  await expect(field(page, 'mode')).toHaveValue('slow')
  await field(page, 'mode').fill('fast')
  await dialog(page).getByLabel('Body as JSON').fill('{"angle": 90.0}')
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  await expect(dialog(page)).toContainText('/notes/N/ink/rotate?mode=fast')
  expect(requests).toEqual([])
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog(page)).toContainText('Not confirmed')
  expect(requests).toEqual(['POST /notes/N/ink/rotate?mode=fast {"angle": 90.0}'])
  server.closeAllConnections()
  server.close()
})
