/** @module-tag slow */

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { buildTitleDraft, startWritableApp } from '../../support/program/writable-app.ts'

async function startHost() {
  const { host } = await startDemo({ nodes: 50 })
  const [set] = host.state.library.sets
  const [card] = set?.cards ?? []
  if (!set || !card) throw new Error('no cards')
  return { host, set, card, flags: createConnectionFlags(host), file: path.join(createTempDir(), 'before.json') }
}

describe('snapshot and diff', () => {
  test('save a study set, and find what changed since', async () => {
    const { set, card, flags, file } = await startHost()
    const { title } = card
    expect(await runCommandLine(['snapshot', set.topicid, '-o', file, ...flags])).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ snapshot: { cards: set.cards.length, gaps: [] } })
    const unchanged = await runCommandLine(['diff', file, 'now', '--fail', ...flags])
    expect([unchanged.code, unchanged.stdout.toString(), unchanged.stderr]).toEqual([0, '', 'No differences.\n'])

    Reflect.set(card, 'title', '=cmd|new')
    const json = await runCommandLine(['diff', file, 'now', '--json', '--fail', ...flags])
    expect(json.code).toBe(11)
    expect(JSON.parse(json.stdout.toString())).toMatchObject({
      changes: 1,
      rows: [{ noteid: card.noteid, kinds: ['renamed'], before: { title }, cause: { certainty: 'nobody' } }],
    })
    const text = await runCommandLine(['diff', file, 'now', ...flags])
    expect([text.code, text.stdout.toString()]).toEqual([0, expect.stringContaining('nobody that was recorded')])
    const csv = await runCommandLine(['diff', 'now', file, '--csv', ...flags])
    expect(csv.stdout.toString()).toMatch(/^kinds,noteid,title,.*\r\nrenamed,/)
    const markdown = await runCommandLine(['diff', file, 'now', '--markdown', ...flags])
    expect(markdown.stdout.toString()).toContain('| renamed | =cmd\\|new |')
  })

  test('end as partial if excerpts that were asked for are missing', async () => {
    const { host, set } = await startHost()
    const baseUrl = await startAlteringHost(host, ({ path: requestedPath }, { status, body }) =>
      /\/excerpts(?:\?|$)/.test(requestedPath) ? { status, body: { ...Object(body), truncated: true } } : null,
    )
    const flags = createConnectionFlags({ ...host, baseUrl })
    const { code, stderr } = await runCommandLine(['snapshot', set.topicid, '--excerpts', ...flags])
    expect([code, stderr]).toEqual([10, expect.stringContaining('EXCERPTS_MISSING')])
  })

  test('read the snapshots and recorded calls of a data directory while the app is running', async () => {
    const { app, set, card, sendDraft } = await startWritableApp()
    const { topicid } = set
    const first = await app.call('snapshots.take', { topicid })
    await sendDraft(buildTitleDraft(card.noteid, 'Another title'))
    await expect.poll(() => app.events.some(({ topic }) => topic === 'bridge.dataChanged')).toBe(true)
    const second = await app.call('snapshots.take', { topicid })
    const dataDir = ['--data-dir', app.dataDir]
    const stored = await runCommandLine(['snapshot', topicid, '--stored', '--json', ...dataDir])
    expect(JSON.parse(stored.stdout.toString())).toMatchObject([{ id: second.id }, { id: first.id }])
    const diff = await runCommandLine(['diff', String(first.id), String(second.id), '--fail', ...dataDir])
    expect(diff.code).toBe(11)
    expect(diff.stdout.toString()).toContain('which names the card')
  })

  test('say that two snapshots are of two hosts, in the wrong order, or sorted otherwise', async () => {
    const { set, flags, file } = await startHost()
    await runCommandLine(['snapshot', set.topicid, '-o', file, ...flags])
    const document = JSON.parse(readFileSync(file, 'utf8')) as { snapshot: object }
    const other = `${file}.other`
    const snapshot = { ...document.snapshot, host: 'http://127.0.0.1:1/bridge/v1', isInTreeOrder: false }
    writeFileSync(other, JSON.stringify({ ...document, snapshot: { ...snapshot, endedAt: 1 } }))
    const { code, stderr } = await runCommandLine(['diff', file, other, '--quiet'])
    const codes = stderr.match(/^SNAPSHOT_[A-Z]+/gm)
    expect([code, codes]).toEqual([0, ['SNAPSHOT_HOSTS', 'SNAPSHOT_ORDER', 'SNAPSHOT_REVERSED']])
  })

  test('say what cannot be compared', async () => {
    const { host, set, flags, file } = await startHost()
    const exitOf = async (...args: string[]) => {
      const { code, stderr } = await runCommandLine([...args, ...flags])
      return `${code} ${stderr.split(':')[0]}`
    }
    expect(await exitOf('diff', 'now', 'now')).toBe('2 FLAG_INVALID')
    expect(await exitOf('diff', 'no-such-file', 'now')).toBe('2 FLAG_INVALID')
    expect(await exitOf('diff', '7', 'now')).toBe('6 SNAPSHOT_UNKNOWN')
    expect(await exitOf('diff', 'package.json', 'now')).toBe('6 SNAPSHOT_FILE')
    Reflect.set(host.state, 'walkLimit', 3)
    expect(await exitOf('snapshot', set.topicid, '-o', file, '--quiet')).toBe('10 SNAPSHOT_PARTIAL')
    Reflect.set(host.state, 'walkLimit', Infinity)
    expect(await exitOf('diff', file, 'now', '--quiet')).toBe('10 SNAPSHOT_PARTIAL')
  })
})
