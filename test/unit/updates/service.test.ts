import { expect, test, vi } from 'vitest'
import { createBus } from '../../../electron/services/bus.ts'
import type { Updater } from '../../../electron/services/updates/updater.ts'
import { createUpdates } from '../../../electron/services/updates/updates.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import type { UpdateRelease } from '../../../shared/ipc/updates.ts'

const FEED = 'https://example.org/updates/'
const release: UpdateRelease = { version: '9.0.0', date: null, notes: 'Better.' }
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

interface Step<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/** An updater whose steps end when the test says so. */
function service({ feed = FEED, installs = true } = {}) {
  const requests: string[] = []
  const checks: Step<UpdateRelease | null>[] = []
  const downloads: (Step<void> & { progress: (received: number, total: number) => void; signal: AbortSignal })[] = []
  const updater: Updater = {
    canInstall: installs,
    check(url) {
      requests.push(`check ${url}`)
      return new Promise((resolve, reject) => checks.push({ resolve, reject }))
    },
    download(progress, signal) {
      requests.push('download')
      return new Promise((resolve, reject) => downloads.push({ resolve, reject, progress, signal }))
    },
    async install() {
      requests.push('install')
    },
  }
  const bus = createBus()
  let updateUrl = feed
  const updates = createUpdates({
    updater,
    settings: { get: () => ({ ...defaultSettings, updateUrl }) },
    bus,
    log,
    now: () => 7,
  })
  const choose = (url: string): void => {
    updateUrl = url
    bus.publish('settings.changed', { ...defaultSettings, updateUrl })
  }
  return { updates, requests, checks, downloads, choose, bus }
}

const phase = (updates: { state(): { phase: string } }, expected: string) =>
  vi.waitFor(() => expect(updates.state().phase).toBe(expected))

test('sends nothing without an address, and refuses each step', () => {
  const { updates, requests } = service({ feed: '' })
  for (const step of [updates.check, updates.download, updates.install]) expect(step).toThrow('No address for updates')
  expect([updates.cancel().phase, requests]).toEqual(['idle', []])
})

test('sends nothing with an address until the user asks', () => {
  const { updates, requests, choose } = service({ feed: '' })
  choose(FEED)
  expect([updates.state().phase, requests]).toEqual(['idle', []])
})

test('goes from check to download to installation, one step at a time', async () => {
  const { updates, requests, checks, downloads, bus } = service()
  const observations: string[] = []
  bus.subscribe(({ topic, payload }) => {
    if (topic === 'updates.changed') observations.push((payload as { phase: string }).phase)
  })
  expect(updates.download).toThrow('no update to continue with')
  expect(updates.check()).toMatchObject({ phase: 'checking' })
  updates.check()
  checks[0]?.resolve(release)
  await phase(updates, 'available')
  expect(updates.state()).toMatchObject({ release, checkedAt: 7 })
  expect(updates.install).toThrow('no update to continue with')
  updates.download()
  downloads[0]?.progress(5, 10)
  expect(updates.state()).toMatchObject({ phase: 'downloading', received: 5, total: 10 })
  downloads[0]?.resolve()
  await phase(updates, 'ready')
  updates.install()
  await phase(updates, 'installing')
  expect(requests).toEqual([`check ${FEED}`, 'download', 'install'])
  const steps = observations.filter((entry, index) => entry !== observations[index - 1])
  expect(steps).toEqual(['checking', 'available', 'downloading', 'ready', 'installing'])
})

test('reports that the version is current', async () => {
  const { updates, checks } = service()
  updates.check()
  checks[0]?.resolve(null)
  await phase(updates, 'current')
  expect(updates.state().release).toBeNull()
})

test('returns to the previous step after a failure, and reports the reason', async () => {
  const { updates, checks, downloads } = service()
  updates.check()
  checks[0]?.reject(createRefusedError('UPDATE_FEED_MISSING', 'Nothing there.'))
  await phase(updates, 'idle')
  expect(updates.state().error?.code).toBe('UPDATE_FEED_MISSING')
  updates.check()
  expect(updates.state().error).toBeNull()
  checks[1]?.resolve(release)
  await phase(updates, 'available')
  updates.download()
  downloads[0]?.reject(createRefusedError('UPDATE_WRONG_CHECKSUM', 'Another file.'))
  await phase(updates, 'available')
  await vi.waitFor(() => expect(updates.state().error?.code).toBe('UPDATE_WRONG_CHECKSUM'))
  expect(updates.install).toThrow('no update to continue with')
})

test('ignores the result of a cancelled step', async () => {
  const { updates, checks, downloads } = service()
  updates.check()
  expect(updates.cancel().phase).toBe('idle')
  checks[0]?.resolve(release)
  updates.check()
  checks[1]?.resolve(release)
  await phase(updates, 'available')
  updates.download()
  expect(updates.cancel().phase).toBe('available')
  expect(downloads[0]?.signal.aborted).toBe(true)
  downloads[0]?.progress(1, 2)
  downloads[0]?.resolve()
  await Promise.resolve()
  expect(updates.state()).toMatchObject({ phase: 'available', received: 0 })
})

test('starts over for another address', async () => {
  const { updates, requests, checks, downloads, choose } = service()
  updates.check()
  checks[0]?.resolve(release)
  await phase(updates, 'available')
  updates.download()
  choose('https://example.com/')
  expect(updates.state()).toMatchObject({ phase: 'idle', release: null })
  expect(downloads[0]?.signal.aborted).toBe(true)
  updates.check()
  expect(requests.at(-1)).toBe('check https://example.com/')
})

test('reports a new version to a copy without an installer, but does not download it', async () => {
  const { updates, requests, checks } = service({ installs: false })
  updates.check()
  checks[0]?.resolve(release)
  await phase(updates, 'available')
  expect(updates.state().can).toBe('tell')
  expect(updates.download).toThrow('no update to continue with')
  expect(requests).toEqual([`check ${FEED}`])
})
