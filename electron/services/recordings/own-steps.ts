import { readFile, stat } from 'node:fs/promises'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_PICTURE_BYTES, type RecordingPreview } from '../../../shared/ipc/recordings.ts'
import {
  combineLeftOut,
  findScreenshotType,
  listLeftOut,
  screenshotExtensions,
  type RecordedStep,
  type RedactionPolicy,
} from '../../../shared/recordings/recording.ts'
import type { RecordingSource, Screenshots } from '../../recording-file/recording-writer.ts'
import { isUsablePicture } from './redaction/pictures.ts'
import type { RecordingRedaction } from './redaction/recording-redaction.ts'

interface OwnPicture {
  readonly path: string
  readonly extension: string
}

interface OwnSteps {
  readonly text: string
  readonly pictures: readonly OwnPicture[]
  /** One that keeps steps: the person adds them for whoever gets the recording. */
  readonly redaction: RecordingRedaction
}

/** @throws PICTURE_UNUSABLE if one is no PNG or JPEG, damaged, or too large */
export async function checkPictures(paths: readonly string[]): Promise<OwnPicture[]> {
  const pictures: OwnPicture[] = []
  for (const path of paths) {
    const isLarge = (await stat(path)).size > MAX_PICTURE_BYTES
    const bytes = isLarge ? Buffer.alloc(0) : await readFile(path)
    const type = findScreenshotType(bytes)
    if (type === null || !isUsablePicture(bytes))
      throw createRefusedError('PICTURE_UNUSABLE', 'A picture is no PNG or JPEG, is damaged, or is too large.')
    pictures.push({ path, extension: screenshotExtensions[type] })
  }
  return pictures
}

/** Adds the words of the person, and a step for each picture, to what is written. */
export function addOwnSteps(source: RecordingSource, { text, pictures, redaction }: OwnSteps): RecordingSource {
  const isDropped = redaction.policy.pictures === 'drop'
  const oldScreenshots: Screenshots = source.screenshots ?? new Map<string, never>()
  const names = createNames(oldScreenshots.keys())
  const screenshots = isDropped
    ? []
    : pictures.map(({ path, extension }) => {
        const load = async () => redaction.redactScreenshot(await readFile(path))
        return [names.next().value + extension, load] as const
      })
  const toStep = (text: string, screenshot: string | null): RecordedStep =>
    redaction.redactLine('steps', { at: null, text, exchange: null, screenshot })
  const steps = [...(text === '' ? [] : [toStep(text, null)]), ...screenshots.map(([name]) => toStep('', name))]
  return {
    ...source,
    describe: () => {
      const facts = source.describe()
      return {
        ...facts,
        leftOut: isDropped
          ? combineLeftOut(facts.leftOut, listLeftOut('redacted', { screenshots: pictures.length }))
          : facts.leftOut,
      }
    },
    lines: { ...source.lines, steps: joinLines(source.lines.steps ?? [], steps) },
    screenshots: new Map([...oldScreenshots, ...screenshots]),
  }
}

async function* joinLines<Line>(
  first: AsyncIterable<Line> | Iterable<Line>,
  second: Iterable<Line>,
): AsyncGenerator<Line> {
  yield* first
  yield* second
}

/** Adds the pictures of the person to what would be saved. */
export function countOwnPictures(
  { counts, leftOut, ...preview }: RecordingPreview,
  ownCount: number,
  { pictures }: RedactionPolicy,
): RecordingPreview {
  const { screenshots: panelCount = 0, moments = 0, ...others } = counts
  const screenshots = panelCount + ownCount
  const isDropped = pictures === 'drop'
  return {
    ...preview,
    counts:
      isDropped || screenshots === 0 ? others : { ...others, moments: Math.min(moments, panelCount), screenshots },
    leftOut: isDropped ? combineLeftOut(leftOut, listLeftOut('redacted', { screenshots })) : leftOut,
  }
}

/** Names without extensions that no picture of the recording has. */
function* createNames(names: Iterable<string>): Generator<string, never> {
  const used = new Set([...names].map((name) => name.split('.', 1)[0] ?? ''))
  for (let number = 1; ; number += 1) {
    const name = String(number).padStart(4, '0')
    if (!used.has(name)) yield name
  }
}
