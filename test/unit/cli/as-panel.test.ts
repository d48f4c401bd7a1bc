import { describe, expect, test } from 'vitest'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { TOKEN } from '../../support/services/test-client.ts'
import { sendJson, startLoggingHost } from '../../support/program/panel.ts'

const routes = ['GET /library/study-sets', 'POST /notes/{noteid}/title']
const list = { panelRoutes: ['GET /library/study-sets', 'POST /notes/{noteid}/title'] }
const as = (...words: string[]): string[] => ['call', ...words, '--as-panel', 'plugin.one']
const title = as('POST', '/notes/N-1/title', '-d', '{"text":"New","addon":"mine"}')

async function host() {
  const one = await startLoggingHost([...routes, 'GET /search'], list)
  return { ...one, flags: createConnectionFlags({ baseUrl: one.baseUrl, token: TOKEN }), one }
}

describe('a call as a panel', () => {
  test('prints what the panel would get, and says what the host says about panels', async () => {
    const { flags, requests, one } = await host()
    one.respond = (_, response) => sendJson(response, 200, { topics: [], echoed: TOKEN })
    const { code, stdout, stderr } = await runCommandLine([...as('GET', '/library/study-sets'), ...flags])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.toString())).toEqual({ topics: [], echoed: expect.not.stringContaining(TOKEN) as string })
    expect(stderr).toContain('Changed: answer (a token never reaches a panel)')
    expect(stderr).not.toContain('would not build')
    const other = await runCommandLine(['call', 'GET', '/library/study-sets', '--as-panel', 'plugin.two', ...flags])
    expect(other.stderr).toContain('lists plugin.one, not plugin.two: it would not build this panel')
    expect(requests.filter(({ url }) => url.endsWith('/library/study-sets'))).toHaveLength(2)
  })

  test('outside the list gets what a panel gets, and never reaches the host', async () => {
    const { flags, requests } = await host()
    for (const path of ['/search', '/no-such', '/pair']) {
      const { code, stdout, stderr } = await runCommandLine([...as('GET', path), '--quiet', ...flags])
      expect({ code, said: JSON.parse(stdout.toString()) as unknown }).toMatchObject({
        code: 6,
        said: { error: { code: 'IN_PROCESS_NOT_ALLOWED' } },
      })
      expect(stderr).toMatch(/^IN_PROCESS_NOT_ALLOWED: /)
    }
    expect((await runCommandLine([...as('GET', '/../../x'), ...flags])).code).toBe(2)
    expect(requests.filter(({ url }) => !url.endsWith('/ui-state'))).toEqual([])
  })

  test('writes as the host lets a panel write, once it is confirmed', async () => {
    const { flags, requests } = await host()
    const without = await runCommandLine([...title, ...flags])
    const nobody = await runCommandLine([...title, '--write', ...flags])
    const no = await runCommandLine([...title, '--write', ...flags], { typed: ['n'] })
    const written = () => requests.filter(({ url }) => url.endsWith('/title'))
    expect([without, nobody, no].map(({ code }) => code)).toEqual([6, 6, 6])
    expect(without.stderr).toMatch(/^WRITE_FLAG: /)
    expect(nobody.stderr).toMatch(/NOT_CONFIRMED: There is no terminal/)
    expect(no.stderr).toMatch(/NOT_CONFIRMED: Not confirmed/)
    expect(written()).toEqual([])
    // Only where a person said no does it say so.
    expect(JSON.parse(nobody.stdout.toString())).toEqual({
      error: { code: 'PANEL_WRITE_REFUSED', message: 'Writes of the panel are refused. Nothing was sent.' },
    })
    expect(no.stdout.toString()).toContain('refused by the person who was asked')
    const yes = await runCommandLine([...title, '--write', ...flags], { typed: ['y'] })
    expect(written().map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { text: 'New', addon: 'plugin.one', confirm: true },
    ])
    expect(yes.stderr).toContain('Changed: body /addon "mine" -> "plugin.one"')
    expect(yes.stderr).toContain('Changed: body /confirm absent -> true')
    const scripted = await runCommandLine([...title, '--write', '--yes', '--json', ...flags])
    expect(JSON.parse(scripted.stdout.toString())).toMatchObject({
      via: 'host.api',
      decision: 'passed',
      answer: { status: 200, body: '{"fine":true}' },
    })
    expect(written()).toHaveLength(2)
  })

  test('prints what host.api resolves to, and ends as its error does', async () => {
    const { flags, one } = await host()
    const asked = () => runCommandLine([...as('GET', '/library/study-sets'), '--quiet', ...flags])
    one.respond = (_, response) => response.writeHead(200, { 'Content-Type': 'text/markdown' }).end('# Guide')
    const message = '200 with a body that is not JSON: # Guide'
    const { code, stdout, stderr } = await asked()
    expect({ code, stderr }).toEqual({ code: 3, stderr: `NOT_JSON: ${message}\n` })
    expect(stdout.toString()).toBe(JSON.stringify({ error: { code: 'NOT_JSON', message } }))
    one.respond = (_, response) => sendJson(response, 200, { error: { code: 'GONE', message: 'not here' } })
    expect(await asked()).toMatchObject({ code: 3, stderr: 'GONE: not here\n' })
    one.respond = (_, response) => sendJson(response, 500, { fine: true })
    expect(await asked()).toMatchObject({ code: 3, stderr: expect.stringMatching(/^HTTP_500: /) as string })
    one.respond = (_, response) => sendJson(response, 200, { error: null })
    expect(await asked()).toMatchObject({ code: 0, stderr: '' })
  })

  test('ends with the code of the host’s error, and with no answer as a page sees none', async () => {
    const { flags, one } = await host()
    one.respond = (_, response) => sendJson(response, 409, { error: { code: 'BUSY', message: 'later' } })
    const busy = await runCommandLine([...as('GET', '/library/study-sets'), '--quiet', ...flags])
    expect(busy).toMatchObject({ code: 3, stderr: 'BUSY: later\n' })
    one.respond = (_, response) => response.destroy()
    const none = await runCommandLine([...as('GET', '/library/study-sets'), '--quiet', ...flags])
    expect(none).toMatchObject({ code: 4, stderr: expect.stringMatching(/^NETWORK: /) as string })
    const trace = await runCommandLine([...as('TRACE', '/library/study-sets'), ...flags])
    const body = await runCommandLine([...as('GET', '/library/study-sets', '-d', '{}'), ...flags])
    expect([trace.code, body.code]).toEqual([2, 6])
  })
})
