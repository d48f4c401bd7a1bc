import { describe, expect, test } from 'vitest'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { TOKEN } from '../../support/services/test-client.ts'
import { sendJson, startLoggingHost } from '../../support/program/panel.ts'

const hostRoutes = ['GET /library/study-sets', 'POST /notes/{noteid}/title']
const panelList = { panelRoutes: ['GET /library/study-sets', 'POST /notes/{noteid}/title'] }
const callAsPanel = (...words: string[]): string[] => ['call', ...words, '--as-panel', 'plugin.one']
const titleCall = callAsPanel('POST', '/notes/N-1/title', '-d', '{"text":"New","addon":"mine"}')

async function startHost() {
  const host = await startLoggingHost([...hostRoutes, 'GET /search', 'GET /immersive/template'], panelList)
  return { ...host, flags: createConnectionFlags({ baseUrl: host.baseUrl, token: TOKEN }), one: host }
}

test('a call says of a method that it is unknown, and not that it may write', async () => {
  const { flags, requests } = await startHost()
  const unknown = await runCommandLine(['call', 'BREW', '/status', ...flags])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/^FLAG_INVALID: The method is unknown\./)])
  expect(requests).toEqual([])
})

test('a call with HEAD is a read, and prints status and headers', async () => {
  const { flags, requests, one } = await startHost()
  one.respond = (_, response) => void response.writeHead(200, { 'content-length': '1234', 'x-note': 'a' }).end()
  const head = await runCommandLine(['call', 'head', '/search?q=a', ...flags])
  expect([head.code, head.stderr]).toEqual([0, ''])
  expect(head.stdout.toString()).toMatch(/^HTTP\/1\.1 200\n[^]*x-note: a\n[^]*\n\n$/)
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toContainEqual(
    expect.stringMatching(/^HEAD .*\/search\?q=a$/),
  )
  one.respond = (_, response) => void response.writeHead(404).end()
  const missing = await runCommandLine(['call', 'HEAD', '/search', ...flags])
  expect(missing.code).not.toBe(0)
  expect(missing.stderr).toContain('HTTP_404')
})

describe('a call as a panel', () => {
  test('prints the response that the panel would get, and what the host says about panels', async () => {
    const { flags, requests, one } = await startHost()
    one.respond = (_, response) => sendJson(response, 200, { topics: [], echoed: TOKEN })
    const { code, stdout, stderr } = await runCommandLine([...callAsPanel('GET', '/library/study-sets'), ...flags])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.toString())).toEqual({ topics: [], echoed: expect.not.stringContaining(TOKEN) as string })
    expect(stderr).toContain('Changed: answer (a token never reaches a panel)')
    expect(stderr).not.toContain('would not build')
    const other = await runCommandLine(['call', 'GET', '/library/study-sets', '--as-panel', 'plugin.two', ...flags])
    expect(other.stderr).toContain('lists plugin.one, not plugin.two: it would not build this panel')
    expect(requests.filter(({ url }) => url.endsWith('/library/study-sets'))).toHaveLength(2)
  })

  test('gets the refusal of a panel for unlisted routes, and never reaches the host', async () => {
    const { flags, requests } = await startHost()
    for (const path of ['/search', '/no-such', '/pair']) {
      const { code, stdout, stderr } = await runCommandLine([...callAsPanel('GET', path), '--quiet', ...flags])
      expect({ code, said: JSON.parse(stdout.toString()) as unknown }).toMatchObject({
        code: 6,
        said: { error: { code: 'IN_PROCESS_NOT_ALLOWED' } },
      })
      expect(stderr).toMatch(/^IN_PROCESS_NOT_ALLOWED: /)
    }
    expect((await runCommandLine([...callAsPanel('GET', '/../../x'), ...flags])).code).toBe(2)
    expect(requests.filter(({ url }) => !url.endsWith('/ui-state'))).toEqual([])
  })

  test('writes as the host lets a panel write, after confirmation', async () => {
    const { flags, requests } = await startHost()
    const withoutFlag = await runCommandLine([...titleCall, ...flags])
    const withoutTerminal = await runCommandLine([...titleCall, '--write', ...flags])
    const declined = await runCommandLine([...titleCall, '--write', ...flags], { typed: ['n'] })
    const getWrites = () => requests.filter(({ url }) => url.endsWith('/title'))
    expect([withoutFlag, withoutTerminal, declined].map(({ code }) => code)).toEqual([6, 6, 6])
    expect(withoutFlag.stderr).toMatch(/^WRITE_FLAG: /)
    expect(withoutTerminal.stderr).toMatch(/NOT_CONFIRMED: There is no terminal/)
    expect(declined.stderr).toMatch(/NOT_CONFIRMED: Not confirmed/)
    expect(getWrites()).toEqual([])
    // The text mentions a person only if a person declined.
    expect(JSON.parse(withoutTerminal.stdout.toString())).toEqual({
      error: { code: 'PANEL_WRITE_REFUSED', message: 'Writes of the panel are refused. Nothing was sent.' },
    })
    expect(declined.stdout.toString()).toContain('refused by the person who was asked')
    const confirmed = await runCommandLine([...titleCall, '--write', ...flags], { typed: ['y'] })
    expect(getWrites().map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: 'New', addon: 'plugin.one', confirm: true },
    ])
    expect(confirmed.stderr).toContain('Changed: body /addon "mine" -> "plugin.one"')
    expect(confirmed.stderr).toContain('Changed: body /confirm absent -> true')
    const scripted = await runCommandLine([...titleCall, '--write', '--yes', '--json', ...flags])
    expect(JSON.parse(scripted.stdout.toString())).toMatchObject({
      via: 'host.api',
      decision: 'passed',
      answer: { status: 200, body: '{"fine":true}' },
    })
    expect(getWrites()).toHaveLength(2)
  })

  test('prints the value that host.api resolves to, and exits as its error does', async () => {
    const { flags, one } = await startHost()
    const call = () => runCommandLine([...callAsPanel('GET', '/library/study-sets'), '--quiet', ...flags])
    one.respond = (_, response) => response.writeHead(200, { 'Content-Type': 'text/markdown' }).end('# Guide')
    const message = '200 with a body that is not JSON: # Guide'
    const { code, stdout, stderr } = await call()
    expect({ code, stderr }).toEqual({ code: 3, stderr: `NOT_JSON: ${message}\n` })
    expect(stdout.toString()).toBe(JSON.stringify({ error: { code: 'NOT_JSON', message } }))
    one.respond = (_, response) => sendJson(response, 200, { error: { code: 'GONE', message: 'not here' } })
    expect(await call()).toMatchObject({ code: 3, stderr: 'GONE: not here\n' })
    one.respond = (_, response) => sendJson(response, 500, { fine: true })
    expect(await call()).toMatchObject({ code: 3, stderr: expect.stringMatching(/^HTTP_500: /) as string })
    one.respond = (_, response) => sendJson(response, 200, { error: null })
    expect(await call()).toMatchObject({ code: 0, stderr: '' })
  })

  test("exits with the code of the host's error, and with a network error without a response", async () => {
    const { flags, one } = await startHost()
    one.respond = (_, response) => sendJson(response, 409, { error: { code: 'BUSY', message: 'later' } })
    const busy = await runCommandLine([...callAsPanel('GET', '/library/study-sets'), '--quiet', ...flags])
    expect(busy).toMatchObject({ code: 3, stderr: 'BUSY: later\n' })
    one.respond = (_, response) => response.destroy()
    const withoutResponse = await runCommandLine([...callAsPanel('GET', '/library/study-sets'), '--quiet', ...flags])
    expect(withoutResponse).toMatchObject({ code: 4, stderr: expect.stringMatching(/^NETWORK: /) as string })
    const trace = await runCommandLine([...callAsPanel('TRACE', '/library/study-sets'), ...flags])
    const body = await runCommandLine([...callAsPanel('GET', '/library/study-sets', '-d', '{}'), ...flags])
    expect([trace.code, body.code]).toEqual([2, 6])
  })
})
