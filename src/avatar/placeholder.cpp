// placeholder until the layer's first real source
