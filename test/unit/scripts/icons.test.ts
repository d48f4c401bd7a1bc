import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { createIcns, createIco } from '../../../scripts/lib/icon-files.mjs'

const resources = new URL('../../../resources/', import.meta.url)
const read = (name: string): Buffer => readFileSync(new URL(name, resources))
const pictures = new Map(
  readdirSync(new URL('icons/', resources))
    .map((name): [number, Buffer] => [Number.parseInt(name, 10), read(path.posix.join('icons', name))])
    .sort(([a], [b]) => a - b),
)

test('each picture has the size in its name', () => {
  expect([...pictures.keys()]).toEqual([16, 24, 32, 48, 64, 128, 256, 512, 1024])
  for (const [size, png] of pictures) {
    const { width, height } = PNG.sync.read(png)
    expect([width, height]).toEqual([size, size])
  }
})

test('the Windows and macOS icons contain these pictures', () => {
  expect(read('icon.ico').equals(createIco(pictures))).toBe(true)
  expect(read('icon.icns').equals(createIcns(pictures))).toBe(true)
  expect(read('icon.ico').readUInt16LE(4)).toBe(7)
  expect(read('icon.icns').subarray(0, 4).toString()).toBe('icns')
  expect(read('icon.icns').readUInt32BE(4)).toBe(read('icon.icns').length)
})
