/** @module-tag slow */

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { respond, respondJson } from '../../support/hosts/behaviours.ts'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { startMisbehavingHost } from '../../support/hosts/misbehaving-host.ts'

const ESCAPE_SEQUENCE = '\u001b['
const CLEAR_LINE = '\r\u001b[K'

describe('terminal', () => {
  test('gets progress and colors unless they are turned off, and a pipe gets neither', async () => {
    const { host } = await startDemo({ nodes: 200 })
    const flags = createConnectionFlags(host)
    const tree = ['tree', host.state.generatedSet.topicid, ...flags]
    const [withProgress, quiet, piped] = [
      await runCommandLine(tree, { typed: [] }),
      await runCommandLine([...tree, '--quiet'], { typed: [] }),
      await runCommandLine(tree),
    ]
    expect(withProgress.stderr).toContain(CLEAR_LINE)
    expect([quiet.stderr, piped.stderr]).toEqual(['', ''])
    const status = ['status', ...flags]
    const isColored = (stdout: Buffer): boolean => stdout.toString().includes(ESCAPE_SEQUENCE)
    expect(isColored((await runCommandLine(status, { typed: [] })).stdout)).toBe(true)
    expect(isColored((await runCommandLine(status)).stdout)).toBe(false)
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect(isColored((await runCommandLine(status, { typed: [], env })).stdout)).toBe(false)
    }
    expect(isColored((await runCommandLine([...status, '--no-color'], { typed: [] })).stdout)).toBe(false)
    await host.close()
  })

  test('gets control characters as escapes, and a pipe gets the original text', async () => {
    const host = await startMisbehavingHost(
      respondJson({ app: 'H\u009b31m', appVersion: '1', authorized: true, routes: [] }),
    )
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const env = { BRIDGE_TOKEN: 'mnb0.Some-Token-0123456789' }
    const call = ['call', 'GET', '/status', ...flags]
    expect((await runCommandLine(call, { typed: [], env })).stdout.toString()).toContain('H\\u009b31m')
    expect((await runCommandLine(call, { env })).stdout.toString()).toContain('H\u009b31m')
    await host.close()
  })

  test('gets text as its charset says, and a pipe gets the bytes', async () => {
    const bytes = Buffer.from([0x23, 0x20, 0xd6, 0xd0, 0xce, 0xc4])
    const host = await startMisbehavingHost(respond(bytes, { type: 'text/markdown; charset=gb18030' }))
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const env = { BRIDGE_TOKEN: 'mnb0.Some-Token-0123456789' }
    const call = ['call', 'GET', '/guide', ...flags]
    expect((await runCommandLine(call, { typed: [], env })).stdout.toString()).toContain('# 中文')
    expect((await runCommandLine(call, { env })).stdout).toEqual(bytes)
    host.setBehaviour(respond('plain', { type: 'text/markdown; charset=no-such-label' }))
    const unknown = await runCommandLine(call, { typed: [], env })
    expect(unknown.stdout.toString()).toContain('plain')
    expect(unknown.stderr).toContain('CHARSET_UNKNOWN: No decoder knows the charset “no-such-label”.')
    await host.close()
  })

  test('shows a write in full and sends it only after confirmation', async () => {
    const { host } = await startDemo({ nodes: 20 })
    const flags = createConnectionFlags(host)
    const card = host.state.library.sets.flatMap(({ cards }) => cards)[0]
    const path = `/notes/${card?.noteid ?? ''}/title`
    const getWrites = () => host.log.filter((entry) => entry.path.endsWith(path))
    const write = (body: object): string[] => ['call', 'POST', path, '-d', JSON.stringify(body), '--write', ...flags]
    const declined = await runCommandLine(write({ text: 'No' }), { typed: [''] })
    expect(declined.code).toBe(6)
    expect(declined.stderr).toContain(`POST ${new URL(host.baseUrl).origin}/bridge/v1${path}`)
    expect(declined.stderr).toContain('{"text":"No","confirm":true}')
    expect(declined.stderr).not.toContain(host.token)
    expect(getWrites()).toEqual([])
    expect((await runCommandLine(write({ text: 'Yes' }), { typed: ['yes'] })).code).toBe(0)
    expect(getWrites()).toHaveLength(1)
    // The body may already contain confirm, but only the confirmation of the user counts.
    for (const confirm of [true, false]) {
      expect((await runCommandLine([...write({ text: 'Own', confirm }), '--yes'])).code).toBe(0)
    }
    expect(getWrites()).toHaveLength(3)
    expect(card?.title).toBe('Own')
    await host.close()
  })
})

test('--json prints one JSON text for every command with output', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const flags = createConnectionFlags(host)
  const set = host.state.library.sets.find(({ documents }) => documents.length > 0)
  const [card] = set?.cards ?? []
  const requestId = randomUUID()
  for (const words of [
    ['status'],
    ['doctor'],
    ['profiles'],
    ['tree', set?.topicid ?? ''],
    ['cards', card?.noteid ?? ''],
    ['excerpts', set?.documents[0] ?? ''],
    ['palette', set?.topicid ?? ''],
    ['search', 'a'],
    ['call', 'GET', '/status'],
    ['watch', requestId, '--timeout', '0.05'],
  ]) {
    const commandFlags = words[0] === 'profiles' ? ['--data-dir', createTempDir()] : flags
    const { stdout } = await runCommandLine([...words, '--json', '--quiet', ...commandFlags])
    expect([words[0], isJson(stdout.toString())]).toEqual([words[0], true])
  }
  await host.close()
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('search finds a title however its characters are composed, as the demo host does', async () => {
  const { host } = await startDemo({ nodes: 20 })
  const [first, second] = host.state.library.sets.flatMap(({ cards }) => cards)
  if (!first || !second) throw new Error('no cards')
  Object.assign(first, { title: 'Caf\u00e9' })
  Object.assign(second, { title: 'CAFE\u0301' })
  for (const text of ['caf\u00e9', 'cafe\u0301']) {
    const search = ['search', text, '--scope', 'notes', '--json', ...createConnectionFlags(host)]
    const { hits } = JSON.parse((await runCommandLine(search)).stdout.toString()) as { hits: unknown[] }
    expect(hits).toMatchObject([{ noteid: first.noteid }, { noteid: second.noteid }])
  }
  await host.close()
})
