// The page of a recording, as commands write it: one HTML file that opens in any browser.

import { randomUUID } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { PAGE_EXTENSION, PAGE_TEMPLATE, RECORDING_EXTENSION } from '../../shared/recordings/recording.ts'
import type { CommandContext } from '../base/command.ts'
import { createUsageError, type Flag } from '../base/flags.ts'
import { toPlainText } from '../base/io.ts'
import { assertOutputWritable } from '../base/output-file.ts'

export const pageFlag = {
  name: 'page',
  valueName: 'FILE',
  isFilled: true,
  description: 'write the recording as a page (.html), which opens in any browser',
} as const satisfies Flag

const getTemplate = ({ resources }: Pick<CommandContext, 'resources'>): string =>
  fileURLToPath(new URL(PAGE_TEMPLATE, resources))

/** Checks that the page can be written. @throws FLAG_INVALID, RECORDING_PAGE_NOT_BUILT */
export async function assertPageWritable(
  context: CommandContext,
  page: string | undefined,
  force: boolean | undefined,
): Promise<void> {
  if (page === undefined) return
  if (!page.toLowerCase().endsWith(PAGE_EXTENSION))
    throw createUsageError(`--page needs a file that ends in ${PAGE_EXTENSION}.`)
  assertOutputWritable({ output: page, force, flag: '--page' })
  const { assertPageBuilt } = await import('../../electron/recording-file/index.ts')
  assertPageBuilt(getTemplate(context))
}

/** Returns the number of bytes of the page. @throws what `writeRecordingPage` throws */
export async function savePage(context: CommandContext, recordingFile: string, page: string): Promise<number> {
  const { writeRecordingPage } = await import('../../electron/recording-file/index.ts')
  const bytes = await writeRecordingPage(recordingFile, getTemplate(context), path.resolve(page))
  notePage(context, page, bytes)
  return bytes
}

export function notePage({ io }: CommandContext, page: string, bytes: number): void {
  io.printNote(`Wrote ${toPlainText(page)}, ${bytes} bytes. It opens in a browser, and asks for nothing.`)
}

/** Returns a path at which a recording may be, until its page is written. */
export function nameTemporaryRecording(): string {
  return path.join(os.tmpdir(), `bridge-inspector-${randomUUID()}${RECORDING_EXTENSION}`)
}
