import { onScopeDispose, ref, shallowRef } from 'vue'
import type { RecordingEntry } from '../../../shared/ipc/recordings.ts'
import { ARCHIVE_EXTENSION, PAGE_EXTENSION } from '../../../shared/recordings/recording.ts'
import { saveBlob, toFileName } from '../../components/file-download.ts'
import { useApp } from '../../stores/app.ts'
import { useAttempt } from '../../stores/errors.ts'
import { readRecordingFile } from '../../stores/recordings.ts'

const extensions = { archive: ARCHIVE_EXTENSION, page: PAGE_EXTENSION } as const

/**
 * Writes a recording as a file of another kind. In a browser the file is a download, and `exported`
 * has the name under which it is offered; null until it is written, or if the user chose no file.
 */
export function useFileExport<Exported extends { readonly file: string }>(
  getEntry: () => RecordingEntry,
  kind: keyof typeof extensions,
  write: (id: string) => Promise<Exported | null>,
) {
  const app = useApp()
  const { failure, attempt } = useAttempt()
  const isWriting = ref(false)
  const exported = shallowRef<Exported | null>(null)
  const controller = new AbortController()
  onScopeDispose(() => controller.abort())

  async function save(): Promise<void> {
    isWriting.value = true
    exported.value = null
    await attempt(async () => {
      const { id, name } = getEntry()
      const result = await write(id)
      if (result === null || app.info?.mode === 'desktop') return void (exported.value = result)
      const file = toFileName(name, extensions[kind].slice(1), 'recording')
      saveBlob(await readRecordingFile(id, controller.signal, kind), file)
      exported.value = { ...result, file }
    })
    isWriting.value = false
  }

  return { exported, failure, isWriting, save }
}
