import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitForExit, createConnectionFlags, startProgram } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

const failed = /^OUTPUT_FAILED: .*(?:ENOSPC|EFBIG|EBADF).*\n/

async function hostWithTree() {
  const { host } = await startDemo({ nodes: 3_000 })
  onTestFinished(() => host.close())
  const [part = []] = host.state.library.sets
    .flatMap(({ cards }) => cards)
    .flatMap(({ noteid, parts }) => parts.flatMap((one) => ('contentId' in one ? [[noteid, one.contentId]] : [])))
  return { flags: createConnectionFlags(host), topic: host.state.generatedSet.topicid, part }
}

/** The program with its standard output in this state. */
const printing = (args: readonly string[], shell: string) => waitForExit(startProgram(args, { shell }))

describe.skipIf(!existsSync('/dev/full'))(
  'safety 66: where standard output can’t be written, a command says so and fails',
  () => {
    test('in every format, and whatever the command is', async () => {
      const { flags, topic, part } = await hostWithTree()
      const commands = [
        ...['ndjson', 'json', 'csv', 'text'].map((format) => ['tree', topic, '--format', format, ...flags]),
        ['call', 'GET', '/status', ...flags],
        ['content', ...part, '-o', '-', ...flags],
        ['status', '--json', ...flags],
        ['--help'],
        ['--version'],
        ['completion', 'bash'],
        ['demo-host', '--help'],
        ['demo-host', '--port', '0', '--nodes', '0'],
      ]
      for (const args of commands) {
        const { code, stderr } = await printing(args, 'exec "$@" > /dev/full')
        expect([args.slice(0, 3), code, stderr]).toEqual([args.slice(0, 3), 1, expect.stringMatching(failed)])
      }
    })

    test('after a write, of which it still tells how it ended', async () => {
      const { flags, part } = await hostWithTree()
      const write = ['call', 'POST', `/notes/${part[0]}/title`, '-d', '{"text":"New"}', '--write', '--yes', ...flags]
      const { code, stderr } = await printing(write, 'exec "$@" > /dev/full')
      expect([code, stderr]).toEqual([1, expect.stringMatching(failed)])
      expect(stderr).toMatch(/Saved and verified\. \(record [^)]+\)/)
    })

    test('with a descriptor that is only for reading, and with standard error on a full disk', async () => {
      const { flags, topic } = await hostWithTree()
      expect(await printing(['tree', topic, ...flags], 'exec "$@" 1< /dev/null')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(failed) as string,
      })
      // Nothing can be said there; the exit code is all that is left.
      const remark = ['content', 'x', 'y', '-o', path.join(createTempDir(), 'x'), ...flags]
      expect((await printing(remark, 'exec "$@" 2> /dev/full')).code).toBe(3)
      const listed = ['profiles', '--data-dir', createTempDir()]
      expect((await printing(listed, 'exec "$@" 2> /dev/full')).code).toBe(1)
    })
  },
)

describe('safety 66: a file that can’t take everything', () => {
  test('is never a success: where it is cut, the command says so', async () => {
    const { flags, topic } = await hostWithTree()
    const file = path.join(createTempDir(), 'cards')
    for (const format of ['ndjson', 'json', 'csv', 'text']) {
      // Eight blocks: the write that reaches the limit is short, and only the next one is an error.
      const shell = `ulimit -f 8; exec "$@" > '${file}'`
      const { code, stderr } = await printing(['tree', topic, '--format', format, ...flags], shell)
      expect([format, code, stderr]).toEqual([format, 1, expect.stringMatching(failed)])
      expect(statSync(file).size).toBeLessThanOrEqual(8 * 1024)
    }
  })

  test('in one piece as well: the rest of a short write is not dropped', async () => {
    const file = path.join(createTempDir(), 'help')
    const whole = await waitForExit(startProgram(['--help']))
    expect(whole.stdout.byteLength).toBeGreaterThan(1_024)
    const blocks = Math.floor(whole.stdout.byteLength / 512) - 1
    const { code, stderr } = await printing(['--help'], `ulimit -f ${blocks}; exec "$@" > '${file}'`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(failed)])
  })

  test('on a small disk: standard output and -o', async ({ skip }) => {
    const folder = createTempDir()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0)
      skip('only root may mount a disk of its own')
    onTestFinished(() => void spawnSync('umount', [folder]))
    const { flags, topic, part } = await hostWithTree()
    const printed = await printing(['tree', topic, ...flags], `exec "$@" > '${folder}/cards'`)
    expect([printed.code, printed.stderr]).toEqual([1, expect.stringMatching(failed)])
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
