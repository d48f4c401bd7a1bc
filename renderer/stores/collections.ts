import { defineStore } from './define-store.ts'
import { computed, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Collection } from '../../shared/ipc/console.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { call } from '../ipc/call.ts'
import { toAppError } from './errors.ts'

export const useCollections = defineStore('collections', () => {
  const content = shallowRef<IpcOutput<'console.collections'> | null>(null)
  const error = shallowRef<AppError | null>(null)
  const list = computed<readonly Collection[]>(() => content.value?.collections ?? [])

  /** Loads the folder again, because other programs write to the folder as well. */
  async function load(): Promise<void> {
    try {
      content.value = await call('console.collections', {})
      error.value = null
    } catch (thrown) {
      content.value = null
      error.value = toAppError(thrown)
    }
  }
  const findById = (id: string): Collection | null => list.value.find((collection) => collection.id === id) ?? null

  /** The list stays unchanged if saving fails. @throws what `console.saveCollection` throws */
  async function save(collection: Collection): Promise<void> {
    await call('console.saveCollection', collection)
    await load()
  }
  async function remove(id: string): Promise<void> {
    await call('console.removeCollection', { id })
    await load()
  }
  /** @throws FOLDER_UNUSABLE */
  async function setFolder(folder: string | null): Promise<void> {
    await call('console.setFolder', { folder })
    await load()
  }

  /** Opens the system's dialog; null if no folder was chosen. @throws NOT_HERE in the browser */
  const chooseFolder = async (): Promise<string | null> => (await call('panel.chooseFolder', {})).path

  return { content, error, list, load, findById, save, remove, setFolder, chooseFolder }
})
