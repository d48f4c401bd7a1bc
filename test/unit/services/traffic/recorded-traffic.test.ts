import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readRecentRequests } from '../../../../electron/services/traffic/recorded/recorded-traffic.ts'
import { TRAFFIC_FILE } from '../../../../electron/services/traffic/traffic-store.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createEntry, openDiskStore } from '../../../support/services/traffic.ts'

test('recent requests are different ones, the newest first, up to a number', async () => {
  const dataDir = createTempDir()
  const { store } = openDiskStore(dataDir)
  for (const requestPath of ['/bridge/v1/decks', '/bridge/v1/guide', '/bridge/v1/decks', '/bridge/v1/status'])
    store.add(createEntry({ row: { path: requestPath } }))
  store.flush()
  store.close()
  expect(await readRecentRequests(dataDir, 2)).toEqual([
    { method: 'GET', path: '/bridge/v1/status' },
    { method: 'GET', path: '/bridge/v1/decks' },
  ])
  expect(await readRecentRequests(dataDir, 10)).toHaveLength(3)
})

test('there are no recent requests without traffic, or if it cannot be read', async () => {
  const dataDir = createTempDir()
  expect(await readRecentRequests(dataDir, 10)).toEqual([])
  writeFileSync(path.join(dataDir, TRAFFIC_FILE), 'not a database')
  expect(await readRecentRequests(dataDir, 10)).toEqual([])
})
