/** @module-tag slow */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitForExit, createConnectionFlags, startProgram } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

const OUTPUT_FAILED = /^OUTPUT_FAILED: .*(?:ENOSPC|EFBIG|EBADF).*\n/

async function startHostWithTree() {
  const { host } = await startDemo({ nodes: 3_000 })
  onTestFinished(() => host.close())
  const [part = []] = host.state.library.sets
    .flatMap(({ cards }) => cards)
    .flatMap(({ noteid, parts }) =>
      parts.flatMap((contentPart) => ('contentId' in contentPart ? [[noteid, contentPart.contentId]] : [])),
    )
  return { flags: createConnectionFlags(host), topic: host.state.generatedSet.topicid, part }
}

/** Runs the program with its standard output redirected by this shell command. */
const runInShell = (args: readonly string[], shell: string) => waitForExit(startProgram(args, { shell }))

describe.skipIf(!existsSync('/dev/full'))('safety 66: a command whose output can’t be written', () => {
  test('fails with a message in every format, whatever the command is', async () => {
    const { flags, topic, part } = await startHostWithTree()
    const commands = [
      ...['ndjson', 'json', 'csv', 'text'].map((format) => ['tree', topic, '--format', format, ...flags]),
      ['call', 'GET', '/status', ...flags],
      ['content', ...part, '-o', '-', ...flags],
      ['status', '--json', ...flags],
      ['--help'],
      ['--version'],
      ['completion', 'bash'],
      ['demo-host', '--help'],
      ['demo-host', '--port', '0', '--nodes', '1'],
    ]
    for (const args of commands) {
      const { code, stderr } = await runInShell(args, 'exec "$@" > /dev/full')
      expect([args.slice(0, 3), code, stderr]).toEqual([args.slice(0, 3), 1, expect.stringMatching(OUTPUT_FAILED)])
    }
  })

  test('still reports the outcome of a write', async () => {
    const { flags, part } = await startHostWithTree()
    const write = ['call', 'POST', `/notes/${part[0]}/title`, '-d', '{"text":"New"}', '--write', '--yes', ...flags]
    const { code, stderr } = await runInShell(write, 'exec "$@" > /dev/full')
    expect([code, stderr]).toEqual([1, expect.stringMatching(OUTPUT_FAILED)])
    expect(stderr).toMatch(/Saved and verified\. \(record [^)]+\)/)
  })

  test('fails for a read-only descriptor, and for standard error on a full disk', async () => {
    const { flags, topic } = await startHostWithTree()
    expect(await runInShell(['tree', topic, ...flags], 'exec "$@" 1< /dev/null')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(OUTPUT_FAILED) as string,
    })
    // Standard error takes nothing, so only the exit code tells of the failure.
    const failedRead = ['content', 'x', 'y', '-o', path.join(createTempDir(), 'x'), ...flags]
    expect((await runInShell(failedRead, 'exec "$@" 2> /dev/full')).code).toBe(3)
    const profileList = ['profiles', '--data-dir', createTempDir()]
    expect((await runInShell(profileList, 'exec "$@" 2> /dev/full')).code).toBe(1)
  })
})

describe('safety 66: an output file that is too small', () => {
  test('is reported as a failure', async () => {
    const { flags, topic } = await startHostWithTree()
    const file = path.join(createTempDir(), 'cards')
    for (const format of ['ndjson', 'json', 'csv', 'text']) {
      // With eight blocks, the write that reaches the limit is short, and only the next write
      // fails.
      const shell = `ulimit -f 8; exec "$@" > '${file}'`
      const { code, stderr } = await runInShell(['tree', topic, '--format', format, ...flags], shell)
      expect([format, code, stderr]).toEqual([format, 1, expect.stringMatching(OUTPUT_FAILED)])
      expect(statSync(file).size).toBeLessThanOrEqual(8 * 1024)
    }
  })

  test('is reported as a failure even if one short write reaches the limit', async () => {
    const file = path.join(createTempDir(), 'help')
    const completeHelp = await waitForExit(startProgram(['--help']))
    expect(completeHelp.stdout.byteLength).toBeGreaterThan(1_024)
    const blocks = Math.floor(completeHelp.stdout.byteLength / 512) - 1
    const { code, stderr } = await runInShell(['--help'], `ulimit -f ${blocks}; exec "$@" > '${file}'`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(OUTPUT_FAILED)])
  })

  test('is reported on a small disk for standard output and -o', async ({ skip }) => {
    const folder = createTempDir()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0)
      skip('only root may mount a disk of its own')
    onTestFinished(() => void spawnSync('umount', [folder]))
    const { flags, topic, part } = await startHostWithTree()
    const printed = await runInShell(['tree', topic, ...flags], `exec "$@" > '${folder}/cards'`)
    expect([printed.code, printed.stderr]).toEqual([1, expect.stringMatching(OUTPUT_FAILED)])
    const saved = await waitForExit(startProgram(['content', ...part, '-o', `${folder}/part`, ...flags]))
    expect([saved.code, saved.stderr]).toEqual([1, expect.stringMatching(/^[A-Z_]+: .+\n$/)])
    const called = ['call', 'GET', `/study-sets/${topic}/tree`, '-o', `${folder}/answer`, ...flags]
    expect(await waitForExit(startProgram(called))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^SAVE_FAILED: .*ENOSPC/) as string,
    })
    expect(readdirSync(folder)).toEqual(['cards'])
    expect(readFileSync(`${folder}/cards`).byteLength).toBeGreaterThan(0)
  })
})
