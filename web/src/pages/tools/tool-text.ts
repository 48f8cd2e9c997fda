// The name and the description of a tool. Those of built-in tools are in the language of the person.
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import type en from '../../text/en.json'
import { keysIn, textsOf } from '../../text/texts.ts'

type BuiltInTool = keyof typeof en.admin.tools.built_in_tools

const isBuiltInTool = (id: string | null): id is BuiltInTool =>
  id !== null && keysIn('admin.tools.built_in_tools').includes(id)

export function toolText({ in_code_tool_id: id, display_name, description }: ToolSnapshot) {
  if (!isBuiltInTool(id)) return { name: display_name, description }
  const t = textsOf('admin.tools')
  return { name: t(`built_in_tools.${id}.name`), description: t(`built_in_tools.${id}.description`) }
}
