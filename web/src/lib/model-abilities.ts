export type Ability = 'vision' | 'tools' | 'jsonSchema' | 'reasoning';

/** What a model can do besides text, in words. */
export const abilityWords: Readonly<Record<Ability, string>> = {
  vision: 'Images',
  tools: 'Tools',
  jsonSchema: 'JSON schema',
  reasoning: 'Reasoning',
};
export const abilities = Object.keys(abilityWords) as Ability[];

/** What a model can do besides text: `Images, Tools`; empty for nothing. */
export function listAbilities(able: Readonly<Record<Ability, boolean>>, separator = ', '): string {
  return abilities
    .filter((ability) => able[ability])
    .map((ability) => abilityWords[ability])
    .join(separator);
}
