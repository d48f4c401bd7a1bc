import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  readAnnouncedHosts,
  readLocalToken,
  type MachineEnvironment,
} from '../../../../electron/services/discovery/local-sources.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createFifo } from '../../../support/data/strange-files.ts'
import { inspectError, expectNoSecret } from '../../../support/data/secrets.ts'

function write(home: string, name: string, text: string): string {
  const file = path.join(home, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o600)
  return file
}

const announcedPorts = (places: MachineEnvironment): number[] => readAnnouncedHosts(places).map(({ port }) => port)

describe('bridge.json', () => {
  const support = 'Library/Application Support/MNAgentBridge/bridge.json'
  const container = (name: string): string => `Library/Containers/${name}/Data/${support}`

  test('is found in the macOS locations and where the environment says', () => {
    const home = createTempDir()
    write(home, support, '{"port":42341,"instanceNonce":"n"}')
    write(home, container('com.example.Margin-Note'), '{"port":42342}')
    write(home, container('QReader.marginnote.mac'), '{"port":42343}')
    write(home, container('com.example.other'), '{"port":42344}')
    const named = write(home, 'elsewhere.json', '{"port":42345}')
    const env = { BRIDGE_INSPECTOR_BRIDGE_JSON: named }
    expect(announcedPorts({ home, env }).sort()).toEqual([42341, 42342, 42343, 42345])
    expect(announcedPorts({ home: createTempDir(), env: {} })).toEqual([])
  })

  test.each(['', '{', 'null', '[]', '7', '{}', '{"port":"42340"}', '{"port":0}', '{"port":70000}', '{"port":1.5}'])(
    'that holds %j is skipped',
    (text) => {
      const home = createTempDir()
      write(home, support, text)
      expect(announcedPorts({ home, env: {} })).toEqual([])
    },
  )

  test.skipIf(process.platform === 'win32')(
    'safety 48: that others can write to, or that is not a file, is skipped',
    () => {
      const home = createTempDir()
      const file = write(home, support, '{"port":42341}')
      chmodSync(file, 0o666)
      expect(announcedPorts({ home, env: {} })).toEqual([])
      chmodSync(file, 0o644)
      const fifo = createFifo(path.join(home, 'fifo'))
      expect(announcedPorts({ home, env: { BRIDGE_INSPECTOR_BRIDGE_JSON: fifo } })).toEqual([42341])
      if (process.getuid?.() !== 0) return
      chownSync(file, 54_321, 54_321)
      expect(announcedPorts({ home, env: {} })).toEqual([])
    },
  )

  test('names the instance, if there is one', () => {
    const home = createTempDir()
    for (const [text, instanceNonce] of [
      ['{"port":1,"instanceNonce":"n"}', 'n'],
      ['{"port":1,"instanceNonce":7}', null],
      ['{"port":1,"instanceNonce":""}', null],
      ['{"port":1}', null],
    ]) {
      write(home, support, text ?? '')
      expect(readAnnouncedHosts({ home, env: {} })).toEqual([{ port: 1, instanceNonce }])
    }
  })

  test('that cannot be read is skipped', () => {
    const home = createTempDir()
    mkdirSync(path.join(home, support), { recursive: true })
    expect(announcedPorts({ home, env: { BRIDGE_INSPECTOR_BRIDGE_JSON: home } })).toEqual([])
  })
})

const none = { source: null, secret: null, problem: null }

describe('the token of this machine', () => {
  test('safety 48: is not the one given for --base-url', () => {
    expect(readLocalToken({ home: createTempDir(), env: { BRIDGE_TOKEN: TOKEN } })).toEqual(none)
  })

  test.skipIf(process.platform === 'win32')(
    'safety 55: in a file others can use is used with a warning, or not at all',
    () => {
      const home = createTempDir()
      const file = write(home, '.config/mn-bridge/token', TOKEN)
      const places = { home, env: {} }
      chmodSync(file, 0o644)
      expect(readLocalToken(places)).toMatchObject({ source: 'token-file', problem: 'readable' })
      chmodSync(file, 0o622)
      expect(readLocalToken(places)).toEqual({ ...none, problem: 'writable' })
      chmodSync(file, 0o600)
      expect(readLocalToken(places).secret?.reveal()).toBe(TOKEN)
      if (process.getuid?.() !== 0) return
      chownSync(file, 54_321, 54_321)
      expect(readLocalToken(places)).toEqual({ ...none, problem: 'foreign' })
    },
  )

  test.skipIf(process.platform === 'win32')('safety 55: is not waited for at a FIFO, and may be behind a link', () => {
    const home = createTempDir()
    mkdirSync(path.join(home, '.config/mn-bridge'), { recursive: true })
    createFifo(path.join(home, '.config/mn-bridge/token'))
    expect(readLocalToken({ home, env: {} })).toEqual({ ...none, problem: 'not-a-file' })
    const other = createTempDir()
    mkdirSync(path.join(other, '.config/mn-bridge'), { recursive: true })
    symlinkSync(write(other, 'kept', TOKEN), path.join(other, '.config/mn-bridge/token'))
    expect(readLocalToken({ home: other, env: {} })).toMatchObject({ source: 'token-file', problem: null })
  })

  test.each([
    [{ MN_BRIDGE_TOKEN: TOKEN }, 'environment'],
    [{ MN_BRIDGE_TOKEN: ` ${TOKEN}\n` }, 'environment'],
    [{ MN_BRIDGE_TOKEN: ' ' }, 'token-file'],
    [{ MN_BRIDGE_TOKEN: TOKEN, BRIDGE_TOKEN: 'other' }, 'environment'],
    [{}, 'token-file'],
  ])('%j', (env, source) => {
    const home = createTempDir()
    write(home, '.config/mn-bridge/token', `${TOKEN}\n`)
    const found = readLocalToken({ home, env })
    expect(found).toMatchObject({ source, problem: null })
    expect(found.secret?.reveal()).toBe(TOKEN)
    expectNoSecret(JSON.stringify(found) + inspectError(found), TOKEN)
  })

  test('may be absent or empty', () => {
    const home = createTempDir()
    expect(readLocalToken({ home, env: {} })).toEqual(none)
    write(home, '.config/mn-bridge/token', ' \n')
    expect(readLocalToken({ home, env: { MN_BRIDGE_TOKEN: '' } })).toEqual(none)
  })
})
