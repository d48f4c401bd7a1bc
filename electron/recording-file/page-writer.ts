// Writes a recording as a page: one HTML file that opens from disk, with the recording in it as it
// is. The page is built from renderer/recording-page, and reads it with electron/recording-page.

import { existsSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { AppError, assertNotCancelled } from '../../shared/errors.ts'
import { createRecordingError } from './recording-error.ts'
import { openRecording } from './recording-file.ts'
import { FILE_MODE, writeWhole } from './whole-file.ts'
import { checkExpansion } from './zip-reader.ts'

/** A browser holds the page, its text and its bytes at the same time. */
const MAX_RECORDING_BYTES = 50_000_000
/** A multiple of three bytes, whose base64 has no padding. */
const PIECE_BYTES = 3 * 262_144

/** The built page has this mark in place of the data. */
export const PAGE_DATA_MARK = '@@recording@@'

/** @throws RECORDING_PAGE_NOT_BUILT in a checkout of the project that was not built */
export function assertPageBuilt(template: string): void {
  if (existsSync(template)) return
  const code = 'RECORDING_PAGE_NOT_BUILT'
  const message = 'This checkout has no built page of a recording yet. Run "npm run build" in it first.'
  throw new AppError({ kind: 'internal', code, message, retryable: true })
}

/**
 * Writes the page whole or not at all. It is a script of this program and base64: no text of the
 * recording stands in it as HTML.
 * @param template path of the built page
 * @returns the number of bytes of the page
 * @throws RECORDING_PAGE_NOT_BUILT, RECORDING_TOO_LARGE_FOR_PAGE, SAVE_FAILED, CANCELLED, and what
 *   `openRecording` throws
 */
export async function writeRecordingPage(
  recordingFile: string,
  template: string,
  pageFile: string,
  signal?: AbortSignal,
): Promise<number> {
  assertPageBuilt(template)
  const { size } = await stat(recordingFile)
  if (size > MAX_RECORDING_BYTES) throw createTooLargeError(size)
  const recording = await openRecording(recordingFile)
  try {
    await checkExpansion(recording.zip)
  } finally {
    await recording.close()
  }
  const [start, end, ...others] = (await readFile(template, 'utf8')).split(PAGE_DATA_MARK)
  if (start === undefined || end === undefined || others.length > 0) throw new Error('The built page has no data mark.')
  return writeWhole(pageFile, undefined, async (temporary) => {
    const page = await open(temporary, 'wx', FILE_MODE)
    try {
      await page.appendFile(start)
      await appendBase64(recordingFile, (text) => {
        assertNotCancelled(signal)
        return page.appendFile(text)
      })
      await page.appendFile(end)
      await page.sync()
      return (await page.stat()).size
    } finally {
      await page.close()
    }
  })
}

async function appendBase64(file: string, append: (text: string) => Promise<void>): Promise<void> {
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    let position = 0
    for (;;) {
      let length = 0
      while (length < PIECE_BYTES) {
        const { bytesRead } = await handle.read(piece, length, PIECE_BYTES - length, position + length)
        if (bytesRead === 0) break
        length += bytesRead
      }
      if (length > 0) await append(piece.toString('base64', 0, length))
      if (length < PIECE_BYTES) return
      position += length
      if (position > MAX_RECORDING_BYTES) throw createTooLargeError(position)
    }
  } finally {
    await handle.close()
  }
}

function createTooLargeError(bytes: number): Error {
  const [size, limit] = [Math.ceil(bytes / 1_000_000), MAX_RECORDING_BYTES / 1_000_000]
  return createRecordingError(
    'RECORDING_TOO_LARGE_FOR_PAGE',
    `A page holds at most ${limit} MB of recording; this one has ${size} MB. Send the recording itself.`,
    { size, limit },
  )
}
