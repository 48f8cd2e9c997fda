// Saved prompts: own texts that a person inserts into questions. The wire calls them input prompts.
import { z } from 'zod'
import {
  deleteSavedPrompt,
  insertSavedPrompt,
  listSavedPrompts,
  type SavedPrompt,
  updateSavedPrompt,
} from '../../../store/chats/saved-prompts.ts'
import { NOT_BLANK, nullish, wireBoolean, wireName, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

const InputPromptSnapshot = z
  .object({
    id: z.int(),
    prompt: z.string().describe('The name.'),
    content: z.string().describe('The text that is inserted.'),
    active: z.boolean().describe('Whether clients offer it.'),
    is_public: z.boolean().describe('Always false: only its owner sees a prompt.'),
    user_id: z.string(),
  })
  .meta({ id: 'InputPromptSnapshot' })

const inputPromptSnapshot = ({
  id,
  prompt,
  content,
  active,
  user_id,
}: SavedPrompt): z.infer<typeof InputPromptSnapshot> => ({
  id,
  prompt,
  content,
  active: active === 1,
  is_public: false,
  user_id,
})

const contentFields = {
  prompt: wireName(500),
  content: wireString({ min: 1, max: 64_000, pattern: NOT_BLANK }),
}
const InputPromptCreationRequest = z
  .object({
    ...contentFields,
    active: nullish(wireBoolean()).describe('Default: true.'),
    is_public: nullish(wireBoolean()).refine(
      (it) => it !== true,
      'prompts for all users are not supported: omit this field, or offer the text as a starter message of a persona',
    ),
  })
  .meta({ id: 'InputPromptCreationRequest' })
const InputPromptUpdateRequest = z
  .object({ ...contentFields, active: wireBoolean() })
  .meta({ id: 'InputPromptUpdateRequest' })

const promptDefaults = { access: 'chat', tag: 'Saved prompts' } as const
const PromptPath = z.object({ input_prompt_id: wirePathInteger() })
const PROMPT_PATH = '/input_prompt/{input_prompt_id}'

export const savedPromptRoutes = [
  route({
    ...promptDefaults,
    name: 'listInputPrompts',
    method: 'GET',
    path: '/input_prompt',
    summary: 'List own saved prompts',
    reply: z.array(InputPromptSnapshot),
    services: ['db'],
    handle: async ({ subject, services }) => (await listSavedPrompts(services.db, subject)).map(inputPromptSnapshot),
  }),
  route({
    ...promptDefaults,
    name: 'createInputPrompt',
    method: 'POST',
    path: '/input_prompt',
    summary: 'Create saved prompt',
    description: 'Only its creator sees it.',
    body: InputPromptCreationRequest,
    reply: InputPromptSnapshot,
    errors: ['TOO_MANY_INPUT_PROMPTS'],
    services: ['db', 'now'],
    handle: async ({ body: { prompt, content, active }, subject, services }) => {
      const saved = { prompt, content, active: active ?? true }
      return inputPromptSnapshot(await insertSavedPrompt(services.db, subject, saved, services.now()))
    },
  }),
  route({
    ...promptDefaults,
    name: 'updateInputPrompt',
    method: 'PATCH',
    path: PROMPT_PATH,
    summary: 'Update own saved prompt',
    description: 'Replaces all fields.',
    params: PromptPath,
    body: InputPromptUpdateRequest,
    reply: InputPromptSnapshot,
    errors: ['INPUT_PROMPT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, body, subject, services }) =>
      inputPromptSnapshot(await updateSavedPrompt(services.db, subject, params.input_prompt_id, body)),
  }),
  route({
    ...promptDefaults,
    name: 'deleteInputPrompt',
    method: 'DELETE',
    path: PROMPT_PATH,
    summary: 'Delete own saved prompt',
    params: PromptPath,
    reply: z.null(),
    errors: ['INPUT_PROMPT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteSavedPrompt(services.db, subject, params.input_prompt_id)
      return null
    },
  }),
]
