import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PAGE_DATA_MARK } from '../../../electron/recording-file/page-writer.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { formatSignature } from '../../../electron/core/recordings/seal.ts'
import { recordingVerificationSchema } from '../../../shared/recordings/verification.ts'
import { createRecordedExchange, createRecordingSource, forgeRecording } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import {
  createConnectionFlags,
  createResources,
  runCommandLine,
  type ProgramResult,
} from '../../support/program/command-line.ts'

const sign = createSigner(generateKeyPairSync('ed25519').privateKey)

test('recording info and verify print what a file holds and whether it was changed', async () => {
  const file = path.join(createTempDir(), 'bug.birec')
  await writeRecording(file, createRecordingSource(['{"title":"One"}']), { sign })
  const { fingerprint } = sign

  const info = await runCommandLine(['recording', 'info', file])
  expect(info.code).toBe(0)
  expect(info.stdout.toString()).toContain(`Signed by  ${fingerprint}`)
  expect(info.stdout.toString()).toContain('1 exchanges')
  const json = await runCommandLine(['recording', 'info', file, '--json'])
  expect(JSON.parse(json.stdout.toString())).toMatchObject({ manifest: { version: 2 }, signatures: [{ fingerprint }] })

  const intact = await runCommandLine(['recording', 'verify', file])
  expect([intact.code, intact.stderr]).toEqual([0, ''])
  expect(intact.stdout.toString()).toMatch(
    /^Intact\nSeal 1 of .*, signed by .*: 1 of 1 lines and 3 of 3 other entries are as sealed\n$/,
  )

  const bytes = readFileSync(file)
  const offset = bytes.indexOf('report.md') + 'report.md'.length
  bytes[offset] = (bytes[offset] ?? 0) ^ 16
  writeFileSync(file, bytes)
  const changed = await runCommandLine(['recording', 'verify', file])
  expect(changed.code).toBe(11)
  expect(changed.stdout.toString()).toContain('report.md: ')
  const report = await runCommandLine(['recording', 'verify', file, '--json'])
  expect(recordingVerificationSchema.parse(JSON.parse(report.stdout.toString()))).toMatchObject({
    verdict: 'changed',
    problems: [{ entry: 'report.md' }],
  })
})

test('recording info names nobody whose key did not sign', async () => {
  const dir = createTempDir()
  const [file, forged] = [path.join(dir, 'a.birec'), path.join(dir, 'b.birec')]
  await writeRecording(file, createRecordingSource(['{}']), { sign })
  const { fingerprint } = sign
  const others = createSigner(generateKeyPairSync('ed25519').privateKey)
  await forgeRecording(file, forged, {
    'integrity/0001/signature.json': () => formatSignature(others(Buffer.from('else'))),
  })
  const info = await runCommandLine(['recording', 'info', forged])
  expect(info.stdout.toString()).not.toContain(fingerprint)
  expect(info.stdout.toString()).toContain('an invalid signature')
})

test('recording info prints a file that names an impossible time', async () => {
  const dir = createTempDir()
  const [file, forged] = [path.join(dir, 'a.birec'), path.join(dir, 'b.birec')]
  await writeRecording(file, createRecordingSource(['{}']))
  await forgeRecording(file, forged, {
    'manifest.json': (text) => text.replace(/"createdAt": \d+/, '"createdAt": 1e20'),
  })
  const info = await runCommandLine(['recording', 'info', forged])
  expect([info.code, info.stderr]).toEqual([0, ''])
  expect(info.stdout.toString()).toMatch(/Saved +an unknown time\n/)
})

test('recording verify says if nobody signed, or the file is none', async () => {
  const dir = createTempDir()
  const file = path.join(dir, 'a.birec')
  await writeRecording(file, createRecordingSource(['{}']))
  const unsigned = await runCommandLine(['recording', 'verify', file])
  expect([unsigned.code, unsigned.stderr.split(':')[0]]).toEqual([12, 'RECORDING_UNSIGNED'])
  writeFileSync(file, readFileSync(file).subarray(0, -10))
  const truncated = await runCommandLine(['recording', 'verify', file])
  expect([truncated.code, truncated.stderr.split(':')[0]]).toEqual([11, 'RECORDING_TRUNCATED'])
  writeFileSync(file, 'hello')
  expect((await runCommandLine(['recording', 'info', file])).code).toBe(2)
  expect((await runCommandLine(['recording', 'info', path.join(dir, 'none')])).code).toBe(2)
})

test('recording page says what to do in a checkout that was never built', async () => {
  const dir = createTempDir()
  const [file, page] = [path.join(dir, 'a.birec'), path.join(dir, 'a.html')]
  await writeRecording(file, createRecordingSource(['{}']))
  const resources = pathToFileURL(path.join(dir, 'resources/'))
  const { code, stderr } = await runCommandLine(['recording', 'page', file, '-o', page], { resources })
  expect([code, stderr]).toEqual([
    1,
    'RECORDING_PAGE_NOT_BUILT: This checkout has no built page of a recording yet. Run "npm run build" in it first.\n',
  ])
  expect(existsSync(page)).toBe(false)
})

test('recording export writes an HTTP archive, and says what it has no place for', async () => {
  const dir = createTempDir()
  const [file, archive] = [path.join(dir, 'a.birec'), path.join(dir, 'a.har')]
  const screenshots = new Map([['0001.png', () => Promise.resolve(Buffer.from('picture'))]])
  await writeRecording(file, createRecordingSource(['{}'], { screenshots }))
  const { code, stderr } = await runCommandLine(['recording', 'export', file, '-o', archive])
  expect([code, stderr]).toEqual([
    0,
    `Wrote 1 exchanges into ${archive}.\nAn HTTP archive has no place for 1 screenshots.\n`,
  ])
  expect(JSON.parse(readFileSync(archive, 'utf8'))).toMatchObject({ log: { version: '1.2', entries: [{}] } })
  expect((await runCommandLine(['recording', 'export', file, '-o', archive])).code).toBe(2)
})

test('recording redact writes a further file, and the manifest says what all redactions did', async () => {
  const dir = createTempDir()
  const [file, first, second] = ['a', 'b', 'c'].map((name) => path.join(dir, `${name}.birec`)) as [
    string,
    string,
    string,
  ]
  await writeRecording(file, createRecordingSource(['{"title":"One title"}']), { sign })
  const flags = ['--data-dir', createTempDir()]
  const redacted = await runCommandLine(['recording', 'redact', file, '-o', first, '--texts', 'drop', ...flags])
  expect([redacted.code, redacted.stderr.trim()]).toEqual([0, `Wrote ${first}: texts drop, ids keep, pictures grey.`])
  const further = await runCommandLine(['recording', 'redact', first, '-o', second, '--ids', 'map', '--json', ...flags])
  expect(JSON.parse(further.stdout.toString())).toMatchObject({
    redaction: { texts: 'drop', ids: 'map', pictures: 'grey' },
  })
  const verified = await runCommandLine(['recording', 'verify', second])
  expect(verified.stdout.toString()).toMatch(
    /^Redacted, and all of it is signed\nSeal 1 .*: 0 of 1 lines and 0 of 3 other entries/,
  )
  expect(verified.stdout.toString()).toContain('Seal 3')
  for (const args of [['-o', second], ['-o', path.join(dir, 'c.har')], ['-o', first, '--force'], []])
    expect((await runCommandLine(['recording', 'redact', first, ...args])).code).toBe(2)
})

test('recording compare prints how the second run differs, and ends with 11 if it does', async () => {
  const dir = createTempDir()
  const [before, after] = [path.join(dir, 'a.birec'), path.join(dir, 'b.birec')]
  const bodies = ['{"title":"One"}', '{"title":"Two"}', '[]']
  const createRun = (body: string, ...paths: readonly string[]) =>
    createRecordingSource(bodies, {
      lines: {
        exchanges: [
          createRecordedExchange(1, body, {
            row: { path: '/bridge/v1/decks', endpoint: 'decks.list', durationMs: 10 },
          }),
          ...paths.map((to, index) =>
            createRecordedExchange(index + 2, '[]', {
              row: { path: to, endpoint: null, durationMs: 10 + index * 900 },
            }),
          ),
        ],
      },
    })
  await writeRecording(before, createRun(bodies[0] ?? '', '/a', '/b'))
  await writeRecording(after, createRun(bodies[1] ?? '', '/a', '/c'))
  const unchanged = await runCommandLine(['recording', 'compare', before, before])
  expect([unchanged.code, unchanged.stderr, unchanged.stdout.toString()]).toEqual([0, '', '3 the same\n'])

  const compared = await runCommandLine(['recording', 'compare', before, after])
  expect([compared.code, compared.stderr]).toEqual([11, ''])
  const text = compared.stdout.toString()
  expect(text).toContain('other response  GET /bridge/v1/decks\n')
  expect(text).toContain(' another value /title: before "One", after "Two"\n')
  expect(text).toMatch(/^missing +GET \/b$/m)
  expect(text).toMatch(/^extra +GET \/c$/m)
  expect(text).toContain('1 the same, 1 missing, 1 extra, 1 other response\n')

  const json = await runCommandLine(['recording', 'compare', before, after, '--json'])
  expect(JSON.parse(json.stdout.toString())).toMatchObject({
    ...{ sameCount: 1, pairCount: 4, counts: { missing: 1, extra: 1, response: 1 } },
    differences: expect.arrayContaining([
      expect.objectContaining({ kinds: ['missing'], afterRow: null }),
      expect.objectContaining({ kinds: ['response'], responses: expect.objectContaining({ total: 1 }) as object }),
    ]) as object,
  })
  for (const args of [[before], [before, path.join(dir, 'none')], [before, after, before], [before, after, '-o', 'c']])
    expect((await runCommandLine(['recording', 'compare', ...args])).code).toBe(2)
})

describe('--page', () => {
  async function startHost() {
    const { host } = await startDemo({ nodes: 50 })
    onTestFinished(() => host.close())
    return { host, flags: createConnectionFlags(host) }
  }
  const STATUS_SCRIPT = `await fetch(process.env.BRIDGE_BASE_URL + '/status', {
    headers: { Authorization: 'Bearer ' + process.env.BRIDGE_TOKEN } })`

  test('record also writes its recording as a page', async () => {
    const { flags } = await startHost()
    const folder = createTempDir()
    const [file, page] = [path.join(folder, 'a.birec'), path.join(folder, 'a.html')]
    const words = ['record', '-o', file, '--page', page, ...flags, '--', process.execPath, '-e', STATUS_SCRIPT]
    const { stderr } = await runCommandLine(words, { resources: createResources(`<p>${PAGE_DATA_MARK}</p>`) })
    expect(stderr).toContain(`Wrote ${page}, `)
    expect(readFileSync(page, 'utf8')).toBe(`<p>${readFileSync(file).toString('base64')}</p>`)
  })

  test('record refuses a page that it could not write, before it begins', async () => {
    const { host, flags } = await startHost()
    const folder = createTempDir()
    const run = (output: string, page: string, resources?: URL) =>
      runCommandLine(
        ['record', '-o', path.join(folder, output), '--page', path.join(folder, page), ...flags, '--', 'true'],
        resources ? { resources } : {},
      )
    const resources = createResources(PAGE_DATA_MARK)
    expect((await run('a.birec', 'a.txt', resources)).stderr).toContain('--page needs a file that ends in .html')
    expect((await run('a.har', 'a.html', resources)).stderr).toContain('--page, --texts, --ids and --pictures need -o')
    const unbuilt = await run('a.birec', 'a.html', pathToFileURL(path.join(folder, 'resources/')))
    expect([unbuilt.code, unbuilt.stderr]).toEqual([1, expect.stringContaining('npm run build')])
    expect([readdirSync(folder), host.log]).toEqual([[], []])
  })

  test('panel writes what the panel did as a page, with texts as the flags say', async () => {
    const { flags } = await startHost()
    const folder = createTempDir()
    const page = path.join(folder, 'bug.html')
    writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
    const resources = createResources(`<p>${PAGE_DATA_MARK}</p>`)
    const serve = async (paths: readonly string[]): Promise<ProgramResult> => {
      let printed = ''
      const onPrint = (text: string): void => void (printed += text)
      const words = ['panel', folder, '--page', page, '--ids', 'map', ...flags]
      const running = runCommandLine(words, { resources, onPrint })
      await expect.poll(() => printed).toMatch(/^Panel: http.*\n/)
      for (const to of paths) await fetch(new URL(to, /^Panel: (\S+)/.exec(printed)?.[1])).then((it) => it.text())
      process.emit('SIGINT')
      return running
    }
    expect((await serve([])).stderr).toContain('PAGE_EMPTY')
    expect(existsSync(page)).toBe(false)
    const { code, stderr } = await serve(['/bridge/v1/status', '/bridge/v1/token'])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Wrote ${page}, `)])

    const [, data = ''] = /^<p>(.*)<\/p>$/.exec(readFileSync(page, 'utf8')) ?? []
    const file = path.join(folder, 'saved.birec')
    writeFileSync(file, Buffer.from(data, 'base64'))
    const info = await runCommandLine(['recording', 'info', file])
    expect(info.stdout.toString()).toMatch(/Title +bug\n[^]* 1 findings[^]*Redacted +texts placeholder, ids map/)
    expect((await runCommandLine(['panel', folder, '--ids', 'map'])).stderr).toContain('need --page')
  })
})
