import { describe, expect, test } from 'vitest'
import { denyPermissions } from '../../../electron/desktop/permissions.ts'
import { FakeApp, fakeSession, notes } from './fakes.ts'

const permissions = [
  'ar',
  'background-sync',
  'clipboard-read',
  'clipboard-sanitized-write',
  'display-capture',
  'fileSystem',
  'fullscreen',
  'geolocation',
  'hid',
  'idle-detection',
  'local-network-access',
  'media',
  'midi',
  'midiSysex',
  'notifications',
  'openExternal',
  'pointerLock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'one that does not exist yet',
]

function setUp() {
  const [app, log, session] = [new FakeApp(), notes(), fakeSession()]
  denyPermissions(app.electron, log.note)
  app.emit('session-created', session.session)
  return { ...session, app, log }
}

describe('permissions', () => {
  test.each(permissions)('safety 15: refuse %s both on request and on check', (permission) => {
    const { handlers, log } = setUp()
    const responses: unknown[] = []
    const ask = handlers['setPermissionRequestHandler'] as unknown as (...args: unknown[]) => void
    ask(null, permission, (granted: boolean) => responses.push(granted))
    const check = handlers['setPermissionCheckHandler'] as unknown as (...args: unknown[]) => boolean
    expect([...responses, check(null, permission, 'app://bridge-inspector')]).toEqual([false, false])
    expect(log.lines).toEqual([`permission refused {"permission":"${permission}"}`])
  })

  test('safety 15: grant no device and no screen', () => {
    const { handlers } = setUp()
    const device = handlers['setDevicePermissionHandler'] as unknown as (details: unknown) => boolean
    expect(device({ deviceType: 'usb' })).toBe(false)
    const streams: unknown[] = []
    const screen = handlers['setDisplayMediaRequestHandler'] as unknown as (...args: unknown[]) => void
    screen({}, (response: unknown) => streams.push(response))
    expect(streams).toEqual([null])
  })

  test('safety 15: choose nothing in device choosers', () => {
    const { bus } = setUp()
    const chosen: unknown[][] = []
    const choose = (...args: unknown[]): void => void chosen.push(args)
    let stopped = 0
    const event = { preventDefault: () => (stopped += 1) }
    bus.emit('select-hid-device', event, { deviceList: [{ deviceId: '1' }] }, choose)
    bus.emit('select-serial-port', event, [{ portId: '1' }], {}, choose)
    bus.emit('select-usb-device', event, { deviceList: [{ deviceId: '1' }] }, choose)
    expect(stopped).toBe(3)
    expect(chosen).toEqual([[null], [''], []])
  })

  test('safety 15: are denied in every session, including later ones', () => {
    const { app, log } = setUp()
    const later = fakeSession()
    app.emit('session-created', later.session)
    expect(Object.keys(later.handlers).sort()).toEqual([
      'setDevicePermissionHandler',
      'setDisplayMediaRequestHandler',
      'setPermissionCheckHandler',
      'setPermissionRequestHandler',
    ])
    expect(log.lines).toEqual([])
  })
})
