import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { announcedPorts, localToken } from '../../../../electron/services/discovery/sources.ts'
import { TOKEN } from '../../../support/bridge.ts'
import { tempDir } from '../../../support/data-dir.ts'
import { everythingOf, expectNoSecret } from '../../../support/secrets.ts'

function write(home: string, name: string, text: string): string {
  const file = path.join(home, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe('bridge.json', () => {
  const support = 'Library/Application Support/MNAgentBridge/bridge.json'
  const container = (name: string): string => `Library/Containers/${name}/Data/${support}`

  test('is found at the places of macOS and where the environment says', () => {
    const home = tempDir()
    write(home, support, '{"port":42341,"instanceNonce":"n"}')
    write(home, container('com.example.Margin-Note'), '{"port":42342}')
    write(home, container('QReader.marginnote.mac'), '{"port":42343}')
    write(home, container('com.example.other'), '{"port":42344}')
    const named = write(home, 'elsewhere.json', '{"port":42345}')
    const env = { BRIDGE_INSPECTOR_BRIDGE_JSON: named }
    expect(announcedPorts({ home, env }).sort()).toEqual([42341, 42342, 42343, 42345])
    expect(announcedPorts({ home: tempDir(), env: {} })).toEqual([])
  })

  test.each(['', '{', 'null', '[]', '7', '{}', '{"port":"42340"}', '{"port":0}', '{"port":70000}', '{"port":1.5}'])(
    'that holds %j is passed over',
    (text) => {
      const home = tempDir()
      write(home, support, text)
      expect(announcedPorts({ home, env: {} })).toEqual([])
    },
  )

  test('that cannot be read is passed over', () => {
    const home = tempDir()
    mkdirSync(path.join(home, support), { recursive: true })
    expect(announcedPorts({ home, env: { BRIDGE_INSPECTOR_BRIDGE_JSON: home } })).toEqual([])
  })
})

describe('the token of this machine', () => {
  test.each([
    [{ MN_BRIDGE_TOKEN: TOKEN }, 'environment'],
    [{ BRIDGE_TOKEN: ` ${TOKEN}\n` }, 'environment'],
    [{ MN_BRIDGE_TOKEN: ' ', BRIDGE_TOKEN: TOKEN }, 'environment'],
    [{ MN_BRIDGE_TOKEN: TOKEN, BRIDGE_TOKEN: 'other' }, 'environment'],
    [{}, 'token-file'],
  ])('%j', (env, source) => {
    const home = tempDir()
    write(home, '.config/mn-bridge/token', `${TOKEN}\n`)
    const found = localToken({ home, env })
    expect(found?.source).toBe(source)
    expect(found?.secret.reveal()).toBe(TOKEN)
    expectNoSecret(JSON.stringify(found) + everythingOf(found), TOKEN)
  })

  test('may be absent or empty', () => {
    const home = tempDir()
    expect(localToken({ home, env: {} })).toBeNull()
    write(home, '.config/mn-bridge/token', ' \n')
    expect(localToken({ home, env: { MN_BRIDGE_TOKEN: '' } })).toBeNull()
  })
})
