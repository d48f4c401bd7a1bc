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

function writePrivateFile(home: string, name: string, text: string): string {
  const file = path.join(home, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o600)
  return file
}

const readAnnouncedPorts = (places: MachineEnvironment): number[] => readAnnouncedHosts(places).map(({ port }) => port)

describe('bridge.json', () => {
  const SUPPORT_FILE = 'Library/Application Support/MNAgentBridge/bridge.json'
  const getContainerPath = (name: string): string => `Library/Containers/${name}/Data/${SUPPORT_FILE}`

  test('is found in the macOS locations and where the environment says', () => {
    const home = createTempDir()
    writePrivateFile(home, SUPPORT_FILE, '{"port":42341,"instanceNonce":"n"}')
    writePrivateFile(home, getContainerPath('com.example.Margin-Note'), '{"port":42342}')
    writePrivateFile(home, getContainerPath('QReader.marginnote.mac'), '{"port":42343}')
    writePrivateFile(home, getContainerPath('com.example.other'), '{"port":42344}')
    const namedFile = writePrivateFile(home, 'elsewhere.json', '{"port":42345}')
    const env = { BRIDGE_INSPECTOR_BRIDGE_JSON: namedFile }
    expect(readAnnouncedPorts({ home, env }).sort()).toEqual([42341, 42342, 42343, 42345])
    expect(readAnnouncedPorts({ home: createTempDir(), env: {} })).toEqual([])
  })

  test.each(['', '{', 'null', '[]', '7', '{}', '{"port":"42340"}', '{"port":0}', '{"port":70000}', '{"port":1.5}'])(
    'is ignored if it contains %j',
    (text) => {
      const home = createTempDir()
      writePrivateFile(home, SUPPORT_FILE, text)
      expect(readAnnouncedPorts({ home, env: {} })).toEqual([])
    },
  )

  test.skipIf(process.platform === 'win32')(
    'safety 48: is ignored if others can write to it, or if it is not a file',
    () => {
      const home = createTempDir()
      const file = writePrivateFile(home, SUPPORT_FILE, '{"port":42341}')
      chmodSync(file, 0o666)
      expect(readAnnouncedPorts({ home, env: {} })).toEqual([])
      chmodSync(file, 0o644)
      const fifo = createFifo(path.join(home, 'fifo'))
      expect(readAnnouncedPorts({ home, env: { BRIDGE_INSPECTOR_BRIDGE_JSON: fifo } })).toEqual([42341])
      if (process.getuid?.() !== 0) return
      chownSync(file, 54_321, 54_321)
      expect(readAnnouncedPorts({ home, env: {} })).toEqual([])
    },
  )

  test('names the instance if there is one', () => {
    const home = createTempDir()
    for (const [text, instanceNonce] of [
      ['{"port":1,"instanceNonce":"n"}', 'n'],
      ['{"port":1,"instanceNonce":7}', null],
      ['{"port":1,"instanceNonce":""}', null],
      ['{"port":1}', null],
    ]) {
      writePrivateFile(home, SUPPORT_FILE, text ?? '')
      expect(readAnnouncedHosts({ home, env: {} })).toEqual([{ port: 1, instanceNonce }])
    }
  })

  test('is ignored if it cannot be read', () => {
    const home = createTempDir()
    mkdirSync(path.join(home, SUPPORT_FILE), { recursive: true })
    expect(readAnnouncedPorts({ home, env: { BRIDGE_INSPECTOR_BRIDGE_JSON: home } })).toEqual([])
  })
})

const noToken = { source: null, secret: null, problem: null }

describe('token of this machine', () => {
  test('safety 48: is not the one for --base-url', () => {
    expect(readLocalToken({ home: createTempDir(), env: { BRIDGE_TOKEN: TOKEN } })).toEqual(noToken)
  })

  test.skipIf(process.platform === 'win32')(
    'safety 55: is used with a warning or not at all if others can use its file',
    () => {
      const home = createTempDir()
      const file = writePrivateFile(home, '.config/mn-bridge/token', TOKEN)
      const places = { home, env: {} }
      chmodSync(file, 0o644)
      expect(readLocalToken(places)).toMatchObject({ source: 'token-file', problem: 'readable' })
      chmodSync(file, 0o622)
      expect(readLocalToken(places)).toEqual({ ...noToken, problem: 'writable' })
      chmodSync(file, 0o600)
      expect(readLocalToken(places).secret?.reveal()).toBe(TOKEN)
      if (process.getuid?.() !== 0) return
      chownSync(file, 54_321, 54_321)
      expect(readLocalToken(places)).toEqual({ ...noToken, problem: 'foreign' })
    },
  )

  test.skipIf(process.platform === 'win32')('safety 55: is not awaited from a FIFO, and may be behind a link', () => {
    const home = createTempDir()
    mkdirSync(path.join(home, '.config/mn-bridge'), { recursive: true })
    createFifo(path.join(home, '.config/mn-bridge/token'))
    expect(readLocalToken({ home, env: {} })).toEqual({ ...noToken, problem: 'not-a-file' })
    const other = createTempDir()
    mkdirSync(path.join(other, '.config/mn-bridge'), { recursive: true })
    symlinkSync(writePrivateFile(other, 'kept', TOKEN), path.join(other, '.config/mn-bridge/token'))
    expect(readLocalToken({ home: other, env: {} })).toMatchObject({ source: 'token-file', problem: null })
  })

  test.each([
    [{ MN_BRIDGE_TOKEN: TOKEN }, 'environment'],
    [{ MN_BRIDGE_TOKEN: ` ${TOKEN}\n` }, 'environment'],
    [{ MN_BRIDGE_TOKEN: ' ' }, 'token-file'],
    [{ MN_BRIDGE_TOKEN: TOKEN, BRIDGE_TOKEN: 'other' }, 'environment'],
    [{}, 'token-file'],
  ])('is read with the environment %j', (env, source) => {
    const home = createTempDir()
    writePrivateFile(home, '.config/mn-bridge/token', `${TOKEN}\n`)
    const localToken = readLocalToken({ home, env })
    expect(localToken).toMatchObject({ source, problem: null })
    expect(localToken.secret?.reveal()).toBe(TOKEN)
    expectNoSecret(JSON.stringify(localToken) + inspectError(localToken), TOKEN)
  })

  test('may be absent or empty', () => {
    const home = createTempDir()
    expect(readLocalToken({ home, env: {} })).toEqual(noToken)
    writePrivateFile(home, '.config/mn-bridge/token', ' \n')
    expect(readLocalToken({ home, env: { MN_BRIDGE_TOKEN: '' } })).toEqual(noToken)
  })
})
